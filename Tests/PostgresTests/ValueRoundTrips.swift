import Foundation
import Postgres
import Testing

@Suite struct ValueRoundTrips {
    private func echo<T: PostgresEncodable & PostgresDecodable>(_ value: T) async throws -> T {
        let connection = try await Fixture().connect()
        return try await connection.query("SELECT \(value)")[0].decode(T.self)
    }

    @Test(arguments: [0, 1, -1, Int.max, Int.min]) func integersKeepTheirValue(_ value: Int) async throws {
        #expect(try await echo(value) == value)
    }

    @Test func smallerIntegersKeepTheirValue() async throws {
        let connection = try await Fixture().connect()
        let row = try await connection.query("SELECT \(Int16.min), \(Int32.max), \(Int64.min), \(UInt8.max)")[0]
        let (small, medium, large, byte) = try row.decode(Int16.self, Int32.self, Int64.self, UInt8.self)
        #expect(small == Int16.min && medium == Int32.max && large == Int64.min && byte == UInt8.max)
        let (a, b, c, d) = try row.decode(Int.self, Int.self, Int.self, Int.self)
        #expect(a == -32768 && b == 2_147_483_647 && c == Int.min && d == 255)
    }

    /// Times around the turn of 2000 and in the years 2 and 9998, with microseconds that a `Date` would round.
    @Test(arguments: [-63_050_400_000_000_001, -1, 0, 1, 252_392_716_799_999_999]) func exactTimesKeepTheirMicroseconds(
        _ value: Int64
    ) async throws {
        #expect(try await echo(ExactTime(microseconds: value)) == ExactTime(microseconds: value))
        let connection = try await Fixture().connect()
        let interval = "\(value) microseconds"
        let isEqual = try await connection.query(
            """
            SELECT \(ExactTime(microseconds: value)) - '2000-01-01T00:00:00Z'::timestamptz = \(interval)::text::interval
            """)
        #expect(try isEqual[0].decode(Bool.self))
        await #expect(throws: PostgresError.self) { try await connection.query("SELECT 5")[0].decode(ExactTime.self) }
    }

    @Test(arguments: [0, -0.0, 0.1, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
    func doublesKeepTheirBits(_ value: Double) async throws {
        #expect(try await echo(value).bitPattern == value.bitPattern)
    }

    @Test func notANumberIsPreserved() async throws {
        #expect(try await echo(Double.nan).isNaN)
    }

    @Test(
        arguments: [
            ("0", 0), ("1", 1), ("-12345678.9", -12_345_678.9), ("0.00001234", 0.00001234), ("100000000", 1e8),
            ("10000.0001", 10000.0001), ("1e-20", 1e-20), ("123456789012345678901234567890", 1.2345678901234568e29),
            ("0.5000", 0.5), ("99999999.99990000", 99_999_999.9999), ("Infinity", Double.infinity),
        ]) func numericsAreReadAsDoubles(_ text: String, _ value: Double) async throws
    {
        let connection = try await Fixture().connect()
        let row = try await connection.query("SELECT \(text)::numeric, \(text)::float8::real")[0]
        let (number, single) = try row.decode(Double.self, Double.self)
        #expect(number == value)
        #expect(Float(single) == Float(value))
    }

    @Test func sumOfIntegersIsReadAsAnInteger() async throws {
        let connection = try await Fixture().connect()
        let row = try await connection.query("SELECT sum(n::bigint) FROM generate_series(1, 200000) n")[0]
        #expect(try row.decode(Int.self) == 20_000_100_000)
        let half = try await connection.query("SELECT 0.5")[0]
        #expect(await refusal { try half.decode(Int.self) }?.kind == .decoding)
    }

    @Test(arguments: ["", "a", "Grüße 👩‍👩‍👧‍👦 e\u{301}", "'; DROP TABLE x; --", "\u{1}\u{7f}", "안녕", "\\x00"])
    func textsKeepTheirScalars(_ value: String) async throws {
        #expect(Array(try await echo(value).unicodeScalars) == Array(value.unicodeScalars))
    }

    @Test func booleansUUIDsAndBytesKeepTheirValue() async throws {
        let id = UUID()
        let bytes = (0...255).map { UInt8($0) }
        let connection = try await Fixture().connect()
        let row = try await connection.query("SELECT \(true), \(false), \(id), \(bytes), \([UInt8]())")[0]
        let (yes, no, sameID, sameBytes, none) = try row.decode(
            Bool.self, Bool.self, UUID.self, [UInt8].self, [UInt8].self)
        #expect(yes && !no && sameID == id && sameBytes == bytes && none.isEmpty)
        #expect(row[3] == bytes)
        #expect(row[9] == nil)
    }

    @Test func jsonIsReadAsWritten() async throws {
        let connection = try await Fixture().connect()
        let row = try await connection.query("SELECT \(JSONB("{\"a\": [1, \"é\"]}")), '[1]'::json, '{}'::jsonb")[0]
        let (object, array, text) = try row.decode(JSONB.self, JSONB.self, String.self)
        #expect(object.text == "{\"a\": [1, \"é\"]}")
        #expect(array == JSONB("[1]"))
        #expect(text == "{}")
    }

    @Test(arguments: [0, 1_763_715_000.123456, -62_135_596_800, 253_402_300_799.5])
    func datesAreKeptWithinFiftyMicroseconds(_ seconds: Double) async throws {
        let same = try await echo(Date(timeIntervalSince1970: seconds))
        #expect(abs(same.timeIntervalSince1970 - seconds) < 0.00005)
    }

    @Test func serverReadsInstantsAsTheSameTime() async throws {
        let connection = try await Fixture().connect()
        let date = Date(timeIntervalSince1970: 1_763_715_000.25)
        let rows = try await connection.query(
            "SELECT extract(epoch FROM \(date))::float8, '2025-11-21 08:50:00.25Z'::timestamptz, '2025-11-21'::date")
        let (seconds, instant, day) = try rows[0].decode(Double.self, Date.self, Date.self)
        #expect(seconds == 1_763_715_000.25)
        #expect(instant == date)
        #expect(day.timeIntervalSince1970 == 1_763_683_200)
    }

    @Test(arguments: ["'infinity'::timestamptz", "'-infinity'::timestamptz", "'infinity'::date", "NULL::timestamptz"])
    func infiniteAndNullTimesAreRefused(_ sql: String) async throws {
        let rows = try await Fixture().connect().query(Statement(unsafeSQL: "SELECT \(sql)"))
        #expect(await refusal { try rows[0].decode(Date.self) }?.kind == .decoding)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, 1e15])
    func instantOutOfRangeIsNotSent(_ seconds: Double) async throws {
        let connection = try await Fixture().connect()
        let statement: Statement = "SELECT \(Date(timeIntervalSince1970: seconds))"
        #expect(await refusal { try await connection.query(statement) }?.kind == .encoding)
        #expect(await refusal { try await connection.pipeline([statement]) }?.kind == .encoding)
    }

    @Test func nullIsDecodedAsNilOnly() async throws {
        let connection = try await Fixture().connect()
        let row = try await connection.query("SELECT \(nil as Int?), \(5 as Int?), \(nil as [String]?)")[0]
        let (none, five, texts) = try row.decode(Int?.self, Int?.self, [String]?.self)
        #expect(none == nil && five == 5 && texts == nil && row[0] == nil)
        #expect(await refusal { try row.decode(Int.self, Int.self, [String]?.self) }?.kind == .decoding)
    }

    @Test func arraysKeepOrderAndNulls() async throws {
        let ids = (0..<300).map { _ in UUID() }
        #expect(try await echo(ids) == ids)
        #expect(try await echo([1, nil, 3]) == [1, nil, 3])
        #expect(try await echo(["a", "", nil, "{\"x\",}", "👍"]) == ["a", "", nil, "{\"x\",}", "👍"])
        #expect(try await echo([] as [String]) == [])
        #expect(try await echo([[1, 2], [], [255]] as [[UInt8]]) == [[1, 2], [], [255]])
        #expect(try await echo([true, false]) == [true, false])
        #expect(try await echo([0.5, -1]) == [0.5, -1])
        #expect(try await echo([JSONB("{}"), JSONB("[1]")]) == [JSONB("{}"), JSONB("[1]")])
        let dates = [Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 1_000_000)]
        #expect(try await echo(dates) == dates)
    }

    @Test func nullInAnArrayOfValuesIsRefused() async throws {
        let rows = try await Fixture().connect().query("SELECT ARRAY[1, NULL]")
        #expect(await refusal { try rows[0].decode([Int].self) }?.kind == .decoding)
    }

    @Test func nestedArraysAreRefused() async throws {
        let connection = try await Fixture().connect()
        #expect(await refusal { try await connection.query("SELECT \([[1], [2]])") }?.kind == .encoding)
        let rows = try await connection.query("SELECT ARRAY[[1], [2]]")
        #expect(await refusal { try rows[0].decode([Int].self) }?.kind == .decoding)
    }

    private enum Mood: String, PostgresEncodable, PostgresDecodable { case glad, sad }

    @Test func enumsAndCaseInsensitiveTextsAreTexts() async throws {
        let connection = try await Fixture().connect()
        try await connection.script("CREATE EXTENSION citext; CREATE TYPE mood AS ENUM ('glad', 'sad', 'odd')")
        let rows = try await connection.query("SELECT \(Mood.sad)::mood, 'Ab'::citext, 'n'::name, 'odd'::mood")
        let (mood, text, name, _) = try rows[0].decode(Mood.self, String.self, String.self, String.self)
        #expect(mood == .sad && text == "Ab" && name == "n")
        #expect(
            await refusal { try rows[0].decode(Mood.self, String.self, String.self, Mood.self) }?.kind == .decoding)
    }

    @Test func columnOfAnotherTypeIsRefused() async throws {
        let rows = try await Fixture().connect().query("SELECT 1, 'a'::text")
        #expect(await refusal { try rows[0].decode(String.self, String.self) }?.kind == .decoding)
        #expect(await refusal { try rows[0].decode(Int.self, Int.self) }?.kind == .decoding)
        #expect(await refusal { try rows[0].decode(Bool.self, String.self) }?.kind == .decoding)
        #expect(await refusal { try rows[0].decode(Int.self) }?.kind == .decoding)
        #expect(await refusal { try rows[0].decode(Int.self, String.self, Int.self) }?.kind == .decoding)
    }

    @Test func numberTooLargeForItsTypeIsRefused() async throws {
        let rows = try await Fixture().connect().query("SELECT 40000")
        #expect(await refusal { try rows[0].decode(Int16.self) }?.kind == .decoding)
    }
}
