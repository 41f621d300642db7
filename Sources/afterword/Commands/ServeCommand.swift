import ArgumentParser
import Logging

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the service.",
        discussion: """
            Without --database-url it starts a private PostgreSQL in the data folder, brings its schema up to date and \
            stops it at the end. It prints one line with its address once it accepts requests. After SIGTERM or \
            Ctrl-C, requests in flight are finished.

            The first start creates an admin and writes the password to first-admin in the data folder. Ids and \
            receipts are derived from the keys in the secret file: keep a copy of it.

            Each option can also be set in the environment (AFTERWORD_PORT for --port) or in the file that --config names.

            EXAMPLES
              afterword serve
              afterword serve --host 0.0.0.0 --public-url https://feedback.example.org
              afterword serve --database-url postgres://afterword@db/afterword \\
                --secret-file /etc/afterword/secret
              AFTERWORD_PORT=9000 afterword serve --config /etc/afterword/afterword.yaml
            """)

    @OptionGroup var serving: ServeOptions
    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings(merging: serving.flags)
        let logger = Log.startService(settings)
        do {
            try await Instance(settings: settings, logger: logger).run()
        } catch  where settings.logFormat == .json {
            // The last line of standard error must be a JSON object too.
            let ending = Ending(error)
            if !ending.text.isEmpty { logger.critical("\(ending.text)") }
            throw ending.status
        }
    }
}
