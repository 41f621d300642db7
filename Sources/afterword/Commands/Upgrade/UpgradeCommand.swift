import ArgumentParser
import EmbeddedPostgres
import Foundation

struct UpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Carry the private database over to the newest installed PostgreSQL.",
        discussion: """
            A private cluster works with the major version of PostgreSQL that created it. After a newer one has been \
            installed, stop the service and run this command. Both versions must be installed. It dumps the old \
            cluster, restores the dump into a new one beside it, compares the number of rows in each table, recounts \
            every result, and then puts the new cluster in the old one's place. Keys, accounts and settings stay as \
            they are.

            The old cluster is not changed. It stays in the data folder as postgres-15.old, which needs as much space \
            as before, until you delete it. After an interruption at any moment, one of the two is in use and complete: \
            the service can be started, and the command can be repeated.

            For a database of yours (--database-url), upgrade its server instead.

            EXAMPLES
              apt-get install postgresql-17
              systemctl stop afterword
              sudo -u afterword afterword upgrade --config /etc/afterword/afterword.yaml
              systemctl start afterword
              afterword upgrade --data /var/lib/afterword
            """)

    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings()
        guard settings.databaseURL == nil else {
            throw Failure.misuse(
                "The setting database-url names a database of yours, and only a private one is carried over: upgrade its "
                    + "server, for example with pg_upgrade.")
        }
        let logger = Log.startCommand(settings)
        let stopRequest = await StopRequest.listen()
        try await stopRequest.cancelling {
            switch try await ClusterUpgrade.plan(folder: settings.data, logger: logger) {
            case .newestAlready(let major):
                Terminal.print(
                    "The database in \(settings.data) belongs to PostgreSQL \(major), and no newer version is installed: "
                        + "there is nothing to do.")
            case .needed(let cluster):
                try await DatabaseUpgrade(settings: settings, cluster: cluster, logger: logger).run()
            }
        }
    }
}
