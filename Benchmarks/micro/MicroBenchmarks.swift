import Foundation

/// Repeats one operation, so that a tool can count what it costs: `MicroBenchmarks decode 1000`. `MicroBenchmarks list`
/// prints the names of all operations.
///
/// The tool runs it with two numbers of repetitions. The difference leaves out the program's start and the preparation.
@main enum MicroBenchmarks {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch let error as UsageError {
            printError(error.text)
            exit(2)
        } catch {
            printError("The operation failed: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        if arguments == ["list"] {
            for operation in MeasuredOperation.allCases { print(operation.rawValue) }
            return
        }
        guard arguments.count == 2 else { throw UsageError(text: usage) }
        guard let operation = MeasuredOperation(rawValue: arguments[0]) else {
            throw UsageError(text: "There is no operation `\(arguments[0])`.\n\(usage)")
        }
        guard let count = Int(arguments[1]), count > 0 else {
            throw UsageError(text: "`\(arguments[1])` is not a number of repetitions greater than 0.")
        }
        let perform = try operation.prepared(with: Samples())
        var total = 0
        for repetition in 0..<count { total &+= try perform(repetition) }
        // Printed to keep the compiler from removing work whose result is unused.
        print(total)
    }

    private static var usage: String {
        "Usage: MicroBenchmarks OPERATION COUNT\nThe operations are "
            + MeasuredOperation.allCases.map(\.rawValue).joined(separator: ", ") + "."
    }

    private static func printError(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}

private struct UsageError: Error {
    var text: String
}
