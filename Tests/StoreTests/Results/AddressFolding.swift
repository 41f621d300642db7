import Domain
import Postgres
import Store
import TestSupport
import Testing

@Suite struct AddressFolding {
    /// Compares how PostgreSQL and Swift lower-case every letter of Unicode.
    @Test func addressesAreFoldedAsInTheDatabase() async throws {
        try await TestStore.run { fixture in
            let rows = try await fixture.store.pool.query(
                """
                SELECT code, lower(chr(code)) FROM generate_series(128, 1114111) code
                WHERE code NOT BETWEEN 55296 AND 57343 AND lower(chr(code)) <> chr(code)
                """)
            var lowered: [UInt32: String] = [:]
            for row in rows {
                let (code, lower) = try row.decode(Int.self, String.self)
                lowered[UInt32(code)] = lower
            }
            #expect(lowered.count > 1000, "the database folds more than ASCII")
            var different: [String] = []
            for code in UInt32(128)...0x10ffff {
                guard let scalar = Unicode.Scalar(code),
                    lowered[code] != nil || scalar.properties.changesWhenLowercased,
                    let address = EmailAddress("x\(scalar)y@example.org")
                else { continue }
                let stored = lowered[code] ?? String(scalar)
                if !address.normalised.utf8.elementsEqual("x\(stored)y@example.org".utf8) {
                    different.append(String(code, radix: 16))
                }
            }
            #expect(different == [])
        }
    }
}
