import Domain

/// Numbers as pictures write them, in the same digits everywhere.
enum NumberFormat {
    /// At most two decimals, none if it is whole.
    static func coordinate(_ value: Double) -> String { decimal(value, places: 2, keepsZeros: false) }

    /// A mean or a bound of one: two decimals.
    static func mean(_ value: Double) -> String { decimal(value, places: 2, keepsZeros: true) }

    /// A median, or an NPS: one decimal if it needs one.
    static func short(_ value: Double) -> String { decimal(value, places: 1, keepsZeros: false) }

    /// `12,345`.
    static func count(_ value: Int) -> String {
        var text = ""
        let digits = Array(String(value.magnitude))
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return value < 0 ? "-" + text : text
    }

    /// `12.3k`, `1.2M`: where the whole number has no room.
    static func compact(_ value: Int) -> String {
        switch value {
        case ..<10_000: String(value)
        case ..<1_000_000: short(Double(value / 100) / 10) + "k"
        case ..<1_000_000_000: short(Double(value / 100_000) / 10) + "M"
        default: short(Double(value / 100_000_000) / 10) + "G"
        }
    }

    /// One decimal if it needs one; neither none nor all is said of what is only nearly so.
    static func percent(_ share: Double) -> String {
        switch share {
        case 0: "0%"
        case ..<0.0005: "<0.1%"
        case 0.9995..<1: ">99.9%"
        default: decimal(share.rounded(toDecimals: 3) / 10, places: 1, keepsZeros: false) + "%"
        }
    }

    /// Without decimals, where one has no room.
    static func wholePercent(_ share: Double) -> String {
        switch share {
        case 0: "0%"
        case ..<0.005: "<1%"
        case 0.995..<1: ">99%"
        default: "\(Int(share.rounded(toDecimals: 2)))%"
        }
    }

    private static func decimal(_ value: Double, places: Int, keepsZeros: Bool) -> String {
        let unit = places == 1 ? 10 : 100
        guard value.isFinite, abs(value) < 1e15 else { return "0" }
        let scaled = Int(value.rounded(toDecimals: places))
        let (whole, rest) = (scaled.magnitude / UInt(unit), scaled.magnitude % UInt(unit))
        var decimals = String(rest)
        while decimals.count < places { decimals = "0" + decimals }
        if !keepsZeros { while decimals.hasSuffix("0") { decimals.removeLast() } }
        return (scaled < 0 ? "-" : "") + String(whole) + (decimals.isEmpty ? "" : ".\(decimals)")
    }
}
