import Foundation
import Postgres
import Testing

@Suite struct StatementBuilding {
    @Test func interpolationCreatesParameters() {
        let name = "x'; DROP TABLE form; --"
        let statement: Statement = "SELECT * FROM form WHERE name = \(name) AND n = \(3)"
        #expect(statement.sql == "SELECT * FROM form WHERE name = $1 AND n = $2")
    }

    @Test func fragmentsAreRenumbered() async throws {
        let condition: Statement = "b = \("two") AND c = \("three")"
        let order: Statement = " ORDER BY \(identifier: "odd \" name")"
        let statement: Statement = "SELECT \("one"), \(fragment: condition), d = \(4)\(fragment: order)"
        #expect(statement.sql == "SELECT $1, b = $2 AND c = $3, d = $4 ORDER BY \"odd \"\" name\"")
        #expect(("a \(1)" + "b \(2)" + "c \(fragment: "é \(3)")" as Statement).sql == "a $1b $2c é $3")
    }

    @Test func nestedParametersKeepTheirValues() async throws {
        let connection = try await Fixture().connect()
        var sum: Statement = "SELECT \(0)::bigint"
        for number in 1...15 {
            let term: Statement = " + \(number) * 1"
            sum += term
        }
        sum = "SELECT (\(fragment: sum)) * \(2)"
        #expect(sum.sql.hasSuffix("$16 * 1) * $17"))
        #expect(try await connection.query(sum)[0].decode(Int.self) == 240)
    }

    @Test func hostileTextsRemainValues() async throws {
        let connection = try await Fixture().connect()
        try await connection.script("CREATE TABLE note (body text)")
        for text in ["'); DROP TABLE note; --", "$1", "\\'; SELECT 1", "\" OR 1=1", "$$"] {
            try await connection.execute("INSERT INTO note VALUES (\(text))")
            let rows = try await connection.query("SELECT count(*) FROM note WHERE body = \(text)")
            #expect(try rows[0].decode(Int.self) == 1)
        }
    }

    @Test func hostileNameIsQuoted() async throws {
        let connection = try await Fixture().connect()
        let name = "a\"; DROP TABLE note; --"
        try await connection.execute("CREATE TABLE \(identifier: name) (n int)")
        let rows = try await connection.query("SELECT relname FROM pg_class WHERE relname = \(name)")
        #expect(try rows.first?.decode(String.self) == name)
    }

    @Test func nulIsRefusedInsteadOfTruncatingTheStatement() async throws {
        let connection = try await Fixture().connect()
        #expect(await refusal { try await connection.query("SELECT 1 AS \(identifier: "a\0b")") }?.kind == .encoding)
        #expect(await refusal { try await connection.script("SELECT 1;\0") }?.kind == .encoding)
        #expect(await refusal { try await connection.query("SELECT \("a\0b")") }?.sqlState == "22021")
    }

    @Test func descriptionShowsNoValues() {
        let statement: Statement = "SELECT \("secret-value"), \([1, 2])"
        var dumped = ""
        dump(statement, to: &dumped)
        for text in ["\(statement)", String(reflecting: statement), dumped] { #expect(!text.contains("secret-value")) }
    }

    @Test func tooManyParametersAreRefused() async throws {
        let connection = try await Fixture().connect()
        var statement: Statement = "SELECT 1"
        for number in 0..<65_536 { statement += ", \(number)" }
        #expect(await refusal { try await connection.query(statement) }?.kind == .encoding)
    }
}
