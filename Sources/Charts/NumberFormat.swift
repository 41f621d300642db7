import Domain

/// The number formats of charts.
enum NumberFormat {
    /// At most two decimals, without trailing zeros.
    static func coordinate(_ value: Double) -> String { decimal(value, places: 2, keepsZeros: false) }

    /// Exactly two decimals, for means and their bounds.
    static func mean(_ value: Double) -> String { decimal(value, places: 2, keepsZeros: true) }

    /// At most one decimal, for medians and NPS.
    static func short(_ value: Double) -> String { decimal(value, places: 1, keepsZeros: false) }

    /// `12,345`
    static func count(_ value: Int) -> String {
        var text = ""
        let digits = Array(String(value.magnitude))
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return value < 0 ? "-" + text : text
    }

    /// A rounded-down short form, such as `12.3k` or `1.2M`, for a narrow column. Numbers below 10,000 are complete.
    static func compact(_ value: Int) -> String {
        switch value {
        case ..<10_000: String(value)
        case ..<1_000_000: short(Double(value / 100) / 10) + "k"
        case ..<1_000_000_000: short(Double(value / 100_000) / 10) + "M"
        default: short(Double(value / 100_000_000) / 10) + "G"
        }
    }

    /// A percentage with at most one decimal. `0%` and `100%` are written for exact values only.
    static func percent(_ share: Double) -> String {
        switch share {
        case 0: "0%"
        case ..<0.0005: "<0.1%"
        case 0.9995..<1: ">99.9%"
        default: decimal(share.rounded(toDecimals: 3) / 10, places: 1, keepsZeros: false) + "%"
        }
    }

    /// A percentage without decimals, for a narrow column.
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
        let (whole, remainder) = (scaled.magnitude / UInt(unit), scaled.magnitude % UInt(unit))
        var decimals = String(remainder)
        while decimals.count < places { decimals = "0" + decimals }
        if !keepsZeros { while decimals.hasSuffix("0") { decimals.removeLast() } }
        return (scaled < 0 ? "-" : "") + String(whole) + (decimals.isEmpty ? "" : ".\(decimals)")
    }
}
