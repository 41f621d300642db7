import ArgumentParser
import StrictJSON

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show what is in force and what is wrong.",
        discussion: """
            Each setting with its source, secrets masked; the database, its schema and its settings; the secret file. \
            It changes nothing and takes the options of `serve`. It ends with 1 if something is wrong; warnings alone \
            do not count as that.

            EXAMPLES
              afterword doctor
              afterword doctor --config /etc/afterword/afterword.yaml --json | jq .findings
            """)

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var serving: ServeOptions
    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings(and: serving.flags)
        var examination = Diagnostics(settings: settings)
        try await examination.run(Log.start(settings.commandLogLevel))
        if json { Terminal.print(examination.json) } else { Terminal.print(examination.text) }
        if examination.findings.contains(where: { $0.level == .wrong }) { throw ExitStatus.failed }
    }
}
