import ArgumentParser
import StrictJSON

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show the settings in force, and report problems.",
        discussion: """
            Shows each setting with its source, with secrets masked, and checks the database, its schema and its \
            settings, and the secret file. It changes nothing, and accepts the options of `serve`. It exits with 1 if \
            something is wrong, but not for warnings alone.

            EXAMPLES
              afterword doctor
              afterword doctor --config /etc/afterword/afterword.yaml --json \\
                | jq .findings
            """)

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var serving: ServeOptions
    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings(merging: serving.flags)
        var diagnostics = Diagnostics(settings: settings)
        try await diagnostics.run(Log.startCommand(settings))
        if json { Terminal.print(diagnostics.json) } else { Terminal.print(diagnostics.text) }
        if diagnostics.findings.contains(where: { $0.level == .wrong }) { throw ExitStatus.failed }
    }
}
