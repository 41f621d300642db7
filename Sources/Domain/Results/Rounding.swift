extension Double {
    /// The number in units of its last shown decimal, rounded as by hand: half away from zero.
    ///
    /// 2.675 gives 268 hundredths, although its binary representation is slightly smaller.
    public func rounded(toDecimals places: Int) -> Double {
        // Numbers written with an exponent are far from any visible half.
        if let shifted = Double("\(self)e\(places)") { return shifted.rounded() }
        return (0..<places).reduce(self) { number, _ in number * 10 }.rounded()
    }
}
