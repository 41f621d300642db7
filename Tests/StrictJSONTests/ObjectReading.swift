import Foundation
import StrictJSON
import Testing

@Suite struct ObjectReading {
    @Test func wellTypedMembersAreRead() throws {
        let reader = ObjectReader(
            try .parse(#"{"s":"x","i":3.0,"d":0.5,"b":true,"t":"2026-11-21T09:30:00Z","o":{"n":1},"a":[1],"z":null}"#))
        #expect(reader.string("s") == "x")
        #expect(reader.int("i") == 3)
        #expect(reader.double("d") == 0.5)
        #expect(reader.bool("b") == true)
        #expect(reader.date("t") == Date(timeIntervalSince1970: 1_795_253_400))
        #expect(reader.object("o")?.int("n") == 1)
        #expect(reader.array("a") == [.number("1")])
        #expect(reader.isNull("z"))
        #expect(!reader.has("z"))
        #expect(!reader.isNull("missing"))
        #expect(reader.finish().isEmpty)
    }

    @Test func faultsAreLimitedToAHundredAndOne() throws {
        let members = (0..<1000).map { JSONValue.Member("m\($0)", .number("1")) }
        #expect(ObjectReader(.object(members)).finish().count == Fault.maximumReported + 1)
    }

    @Test func allFaultsAreReportedWithTheirPointers() throws {
        let reader = ObjectReader(
            try .parse(
                #"{"s":1,"i":"3","f":3.5,"big":1e400,"b":0,"t":"soon","o":[],"a":{},"n":"a\u0000b","x~/y":1}"#),
            at: "/body")
        _ = reader.string("s")
        _ = reader.int("i")
        _ = reader.int("f")
        _ = reader.int("big")
        _ = reader.double("big")
        _ = reader.bool("b")
        _ = reader.date("t")
        _ = reader.object("o")
        _ = reader.array("a")
        _ = reader.string("n")
        _ = reader.requiredString("gone")
        let faults = reader.finish().map { "\($0.kind) \($0.pointer) \($0.code)" }
        #expect(
            faults == [
                "malformed /body/s wrong-type", "malformed /body/i wrong-type", "invalid /body/f not-an-integer",
                "invalid /body/big out-of-range", "invalid /body/big out-of-range", "malformed /body/b wrong-type",
                "invalid /body/t invalid-time", "malformed /body/o wrong-type", "malformed /body/a wrong-type",
                "invalid /body/n nul-character", "invalid /body/gone required", "malformed /body/x~0~1y unknown-field",
            ])
    }

    @Test func faultsOfNestedObjectsAreReportedByTheOutermost() throws {
        let reader = ObjectReader(try .parse(#"{"place":{"city":1,"zip":2},"list":[{"a":1},7,{"b":1}]}"#))
        _ = reader.object("place")?.string("city")
        for element in reader.objects("list") ?? [] { _ = element.int("a") }
        let faults = reader.finish().map { "\($0.pointer) \($0.code)" }
        #expect(
            faults == [
                "/place/city wrong-type", "/list/1 wrong-type", "/place/zip unknown-field", "/list/2/b unknown-field",
            ])
        #expect(reader.finish().count == 4)
    }

    @Test(arguments: ["[]", "1", "\"a\"", "null"])
    func valuesThatAreNotObjectsAreOneFault(_ text: String) throws {
        let reader = ObjectReader(try .parse(text))
        _ = reader.requiredString("title")
        #expect(reader.finish().map(\.code) == ["wrong-type"])
    }

    @Test func missingAndNullRequiredMembersAreReported() throws {
        let reader = ObjectReader(try .parse(#"{"b":null}"#))
        _ = reader.requiredValue("a")
        _ = reader.requiredString("b")
        _ = reader.requiredInt("c")
        _ = reader.requiredDate("d")
        _ = reader.requiredArray("e")
        let faults = reader.finish()
        #expect(faults.map(\.pointer) == ["/a", "/b", "/c", "/d", "/e"])
        #expect(faults.allSatisfy { $0.code == "required" && $0.kind == .invalid })
    }

    @Test func otherFaultsCanBeAdded() throws {
        let reader = ObjectReader(try .parse("{}"))
        reader.fault(at: "x", code: "odd", "Odd.")
        reader.add([Fault(.malformed, at: "/y", code: "even", "Even.")])
        #expect(reader.faults.map(\.pointer) == ["/x", "/y"])
    }
}
