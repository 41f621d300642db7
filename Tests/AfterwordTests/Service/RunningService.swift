import Foundation
import StrictJSON
import TestSupport

/// A `serve` that has printed its address.
final class RunningService: Sendable {
    struct NotResponding: Error {
        let output: String
    }

    let port: Int
    let startLine: String
    private let process: ChildProcess
    private let folder: TemporaryFolder

    var pid: Int32 { process.pid }
    var isRunning: Bool { process.isRunning }
    var client: HTTPTestClient { HTTPTestClient(port: port) }
    /// The text on the standard output so far.
    var standardOutput: String { folder.read("out") }
    var standardError: String { folder.read("err") }

    /// Returns once the start line is printed. If the program ends without one, throws the text on its standard error.
    ///
    /// - Parameter openFiles: the limit of open files, soft and hard; nil inherits that of the tests.
    init(_ arguments: [String], environment: [String: String] = [:], openFiles: Int? = nil) async throws {
        let folder = try TemporaryFolder()
        let limit = openFiles.map { ["/bin/sh", "-c", "ulimit -n \($0); exec \"$0\" \"$@\""] } ?? []
        let process = try ChildProcess(
            limit + [Program.path, "serve", "--port", "0"] + arguments, environment: Program.environment(environment),
            input: "/dev/null", output: folder / "out", errors: folder / "err")
        while !folder.read("out").contains("\n"), process.isRunning {
            try await Task.sleep(for: .milliseconds(10))
        }
        startLine = String(folder.read("out").prefix { $0 != "\n" })
        self.process = process
        self.folder = folder
        guard let port = startLine.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw NotResponding(output: folder.read("err"))
        }
        self.port = port
    }

    /// Sends SIGTERM, or another signal, and waits for the end.
    func stop(_ signal: Int32 = SIGTERM) async -> Int32 {
        kill(pid, signal)
        return await process.status
    }

    /// Runs `body` and stops the service, even if `body` throws.
    func using<Value>(_ body: (RunningService) async throws -> Value) async throws -> Value {
        do {
            let value = try await body(self)
            _ = await stop()
            return value
        } catch {
            _ = await stop()
            throw error
        }
    }

    /// A client signed in as the first admin, whose password is in the data folder.
    func admin(in data: String) async throws -> HTTPTestClient {
        let text = try String(contentsOfFile: data + "/first-admin", encoding: .utf8)
        let values = text.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
        let response = try await client.post(
            "/v1/sessions", json: "{\"email\": \"\(values[0])\", \"password\": \"\(values[1])\"}")
        guard let token = response.json?["token"]?.string else { throw NotResponding(output: response.text) }
        return client.bearing(token)
    }

    /// Publishes a form. Returns its code and the id of its meeting.
    func openForm(by client: HTTPTestClient) async throws -> (code: String, meeting: String) {
        let questions = """
            [{"key": "pace", "kind": "rating", "title": "How was the pace?"},
             {"key": "better", "kind": "text", "title": "What should change?"}]
            """
        let meeting = try await client.post("/v1/meetings", json: "{\"title\": \"Retro\", \"questions\": \(questions)}")
        guard let id = meeting.json?["id"]?.string else { throw NotResponding(output: meeting.text) }
        let form = try await client.post("/v1/meetings/\(id)/form/publish")
        guard let code = form.json?["code"]?.string else { throw NotResponding(output: form.text) }
        return (code, id)
    }
}
