import Exports
import Testing

@Suite struct NumberWriting {
    private func text(of value: Double) -> String {
        let text = Sample.text([Column("x", "", .real)], [[.real(value)]])
        return String(text.dropFirst("\"x\"\r\n".utf16.count - 1).dropLast())
    }

    @Test(arguments: [
        (3.0, "3"), (-0.0, "0"), (0.1, "0.1"), (1e-5, "0.00001"), (-1.25e-7, "-0.000000125"),
        (1e16, "10000000000000000"),
        (1.5e20, "150000000000000000000"), (123456789.125, "123456789.125"), (1e300, "1e+300"), (-2.5, "-2.5"),
    ])
    func numbersAreWrittenInPlainNotationUnlessTheyAreHuge(_ value: Double, _ text: String) {
        #expect(self.text(of: value) == text)
    }

    @Test func numbersRoundTrip() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            #expect(Double(text(of: value)) == value)
            let usual = Double.random(in: -1000...1000, using: &generator) / Double(1 << Int.random(in: 0...20))
            #expect(Double(text(of: usual)) == usual)
            #expect(abs(usual) < 1e-7 || !text(of: usual).contains("e"))
        }
    }
}
