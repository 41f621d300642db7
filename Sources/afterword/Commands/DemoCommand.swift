import ArgumentParser
import Demo
import Domain
import Store
import StrictJSON

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Fill a fresh database with a believable year.",
        discussion: """
            A team's retros, a lecture, town halls, a Korean product team and study group: good rounds and bad ones, an \
            anonymous form, a meeting that is on now, and what is coming. Only a database without meetings is filled. \
            All belongs to one account; without --host-email to the first admin, which is made if there is nobody.

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
        guard let email = EmailAddress(address) else {
            throw Failure.misuse("--host-email is \"\(address)\": that is no e-mail address.")
        }
        let (seed, isFirst) = (seed, hostEmail == nil)
        let logger = Log.start(settings.commandLogLevel)
        let report = try await Database.withStore(settings, creates: true, logger) { store in
            if isFirst { try await FirstAdmin(folder: settings.data).makeIfNeeded(in: store) }
            guard let host = try await store.accounts.find(email: email)?.account else {
                throw Failure(
                    "There is no account \(email): create it with `afterword account create`, or correct --host-email.")
            }
            let bar = ProgressBar("Making", total: 0)
            defer { bar.finish() }
            do {
                return try await DemoYear(in: store, for: host, seed: seed).make { bar.update($0, of: $1) }
            } catch is DemoYear.NotFresh {
                throw Failure("There are meetings already: choose a folder that does not exist yet with --data.")
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
                "Made \(report.meetings.grouped) meetings of \(report.series.grouped) series with "
                    + "\(report.submissions.grouped) submissions. Start `afterword serve` and sign in as \(address).")
        }
    }
}
