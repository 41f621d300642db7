import StrictJSON
import TestSupport
import Testing

@Suite struct Misuse {
    @Test(arguments: [
        (["--nonsense"], "Unknown option '--nonsense'"), (["frobnicate"], "Unexpected argument 'frobnicate'"),
        (["serv"], "Unexpected argument 'serv'. Did you mean 'serve'?"),
        (["exports", "summary"], "2 unexpected arguments: 'exports', 'summary'. Did you mean 'export'?"),
        (["account", "create"], "Missing expected argument '--email <email>'"),
        (["account", "create", "--email", "a@b", "--name", "A", "--role", "king"], "The value 'king' is invalid"),
        (
            ["account", "disable", "--email", "nobody"],
            "--email has the invalid value \"nobody\"; expected an e-mail address."
        ),
        (["verify", "--meeting", "7"], "--meeting has the invalid value \"7\"; expected an id."),
        (["serve", "--port", "http"], "--port has the invalid value \"http\"; expected a port, 0 to 65535."),
        (["serve", "--log-format", "xml"], "--log-format has the invalid value \"xml\"; expected text or json."),
        (["doctor", "--config", "/nowhere.yaml"], "The settings file /nowhere.yaml cannot be read (No such file"),
    ])
    func misuseIsExplainedInOneSentenceWithStatus2(arguments: [String], sentence: String) async throws {
        let outcome = try await Program.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.sentence.hasPrefix(sentence), "\(outcome.errors)")
        #expect(outcome.output == "")
    }

    @Test func invalidVariableIsNamed() async throws {
        let outcome = try await Program.run(["serve"], environment: ["AFTERWORD_PORT": "eighty"])
        #expect(outcome.status == 2)
        #expect(outcome.errors == "AFTERWORD_PORT has the invalid value \"eighty\"; expected a port, 0 to 65535.\n")
    }

    @Test func unknownKeyOfTheFileIsNamed() async throws {
        let folder = try TemporaryFolder()
        let config = try folder.write("prot: 80\n", to: "a.yaml")
        let outcome = try await Program.run(["migrate", "--config", config])
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("prot in \(config) is not a setting"))
    }

    @Test(arguments: [
        [], ["serve"], ["migrate"], ["account"], ["account", "create"], ["account", "list"], ["account", "disable"],
        ["account", "reset-password"], ["export"], ["import"], ["verify"], ["doctor"], ["version"],
        ["keys"], ["keys", "list"], ["keys", "rotate"], ["upgrade"], ["series"], ["series", "list"],
    ])
    func helpSucceedsAndHasExamplesToCopy(command: [String]) async throws {
        let outcome = try await Program.run(command + ["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        let examples = lines.drop { $0 != "EXAMPLES" }.dropFirst().prefix { !$0.isEmpty }
        #expect(!examples.isEmpty)
        // A shell reads a command over several lines only if each but the last ends with a backslash.
        for (line, next) in zip(examples, examples.dropFirst()) {
            #expect(next.hasPrefix("    ") == line.hasSuffix(" \\"), "\(line)\n\(next)")
        }
        #expect(examples.allSatisfy { $0.hasPrefix("  ") && $0.count <= 80 })
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionsExistForEveryShell(shell: String) async throws {
        let outcome = try await Program.run(["--generate-completion-script", shell])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("reset-password"))
    }

    @Test func versionIsPrintedAsTextAndAsJSON() async throws {
        let outcome = try await Program.run(["version"])
        #expect(outcome.output.hasPrefix("afterword "))
        let json = try JSONValue.parse(Array(try await Program.run(["version", "--json"]).output.utf8.dropLast()))
        #expect(json["afterword"]?.string.map { "afterword \($0)\n" } == outcome.output)
        #expect(json["libpq"]?.string?.isEmpty == false)
    }
}
