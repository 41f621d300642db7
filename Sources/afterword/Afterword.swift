import ArgumentParser
import CMalloc
import Foundation
import HTTPAPI

/// The program, with one subcommand for each task.
@main
struct Afterword: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "afterword",
        abstract: "Feedback after every meeting: forms, answers, results.",
        discussion: """
            `afterword serve` needs nothing else: it starts its own private PostgreSQL in ./.afterword and prints its \
            address. All other commands work on the same data folder, whether or not the service is running.

            EXAMPLES
              afterword serve
              afterword account create --email ann@example.org --name Ann --role host \\
                --password-stdin
              afterword export summary --all --period last-week --output summary.csv
              afterword import ratings.csv --map ratings.map.json \\
                --host-email ann@example.org
              afterword verify
              afterword backup --to /var/backups/afterword --keep 14
              afterword --generate-completion-script bash \\
                > /etc/bash_completion.d/afterword

            EXIT CODES
              0 success, 1 failure, 2 misuse, 3 differences found
            """,
        version: "afterword \(ProgramVersion.current)",
        subcommands: subcommands)

    private static let subcommands: [any ParsableCommand.Type] = [
        ServeCommand.self,
        MigrateCommand.self,
        AccountCommand.self,
        SeriesCommand.self,
        ExportCommand.self,
        ImportCommand.self,
        DemoCommand.self,
        VerifyCommand.self,
        BackupCommand.self,
        RestoreCommand.self,
        KeysCommand.self,
        UpgradeCommand.self,
        DoctorCommand.self,
        VersionCommand.self,
    ]

    static func main() async {
        #if canImport(Glibc)
            // By default, glibc creates up to eight arenas per core, each of which keeps memory that the others cannot
            // use. The default takes 5 MB more after 300,000 submissions and makes no submission faster.
            mallopt(M_ARENA_MAX, 2)
        #endif
        StandardStreams.reserve()
        // A closed pipe and an exceeded file size limit become write errors instead of killing the process.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            Foundation.exit(Ending(error).report())
        }
    }
}
