import ArgumentParser
import Demo
import Domain
import Store
import StrictJSON

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Fill an empty database with a plausible year of meetings.",
        discussion: """
            A team's retros, a lecture, town halls, a Korean product team and study group: good and bad rounds, an \
            anonymous form, a meeting that is on now, and upcoming meetings. Only a database without meetings is \
            filled. All meetings belong to one account: that of --host-email, or else the first admin, which is \
            created if there are no accounts.

            EXAMPLES
              afterword demo && afterword serve
              afterword demo --host-email ann@example.org --seed 7
            """)

    @Option(help: "The e-mail address of the account that the meetings will belong to (default: the first admin).")
    var hostEmail: String?

    @Option(help: "The seed of the random answers.")
    var seed: UInt64 = 1

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings()
        let address = hostEmail ?? FirstAdmin.address
        let email = try HostAccount.address(address)
        let (seed, usesFirstAdmin) = (seed, hostEmail == nil)
        let logger = Log.startCommand(settings)
        let report = try await Database.withStore(settings, creates: true, logger) { store in
            if usesFirstAdmin { try await FirstAdmin(folder: settings.data).makeIfNeeded(in: store) }
            let host = try await HostAccount.find(email, in: store)
            let bar = ProgressBar("Creating meetings", total: 0)
            defer { bar.finish() }
            do {
                return try await DemoYear(in: store, for: host, seed: seed).make { bar.update($0, of: $1) }
            } catch is DemoYear.DatabaseNotEmpty {
                throw Failure("The database already contains meetings: choose a new folder with --data.")
            }
        }
        if json {
            Terminal.print(
                .object([
                    .init("series", JSONValue(report.series)), .init("meetings", JSONValue(report.meetings)),
                    .init("submissions", JSONValue(report.submissions)), .init("host", .string(address)),
                ]))
        } else {
            Terminal.print(
                "Created \(report.meetings.grouped) meetings of \(report.series.grouped) series with "
                    + "\(report.submissions.grouped) submissions. Start `afterword serve` and sign in as \(address).")
        }
    }
}
