import ArgumentParser

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the service.",
        discussion: """
            Without --database-url it starts a private PostgreSQL in the data folder, brings its schema up to date and \
            stops it at the end. It prints one line with its address once it answers. SIGTERM and Ctrl-C let requests \
            in flight finish.

            The first start makes an admin; the password is in first-admin in the data folder. The secret file keys \
            ids and receipts: keep a copy of it.

            Each option may also stand in the environment (AFTERWORD_PORT for --port) or in the file of --config.

            EXAMPLES
              afterword serve
              afterword serve --host 0.0.0.0 --public-url https://feedback.example.org
              afterword serve --database-url postgres://afterword@db/afterword --secret-file /etc/afterword/secret
              AFTERWORD_PORT=9000 afterword serve --config /etc/afterword/afterword.yaml
            """)

    @OptionGroup var serving: ServeOptions
    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings(and: serving.flags)
        try await Instance(settings: settings, logger: Log.start(settings.logLevel)).run()
    }
}
