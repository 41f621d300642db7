extension Double {
    /// The number in units of its last shown decimal, as one rounds by hand what is written: a half goes away from zero.
    ///
    /// 2.675 is 268 hundredths, though the binary number that stands for it is a little less.
    public func rounded(toDecimals places: Int) -> Double {
        // Numbers that are written with an exponent of their own are far from any half that is seen.
        if let shifted = Double("\(self)e\(places)") { return shifted.rounded() }
        return (0..<places).reduce(self) { number, _ in number * 10 }.rounded()
    }
}
