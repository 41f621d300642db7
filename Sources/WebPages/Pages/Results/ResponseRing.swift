import Contract

/// How many of those who could have answered did, as a ring with the number in it.
enum ResponseRing {
    /// Nothing where nobody knows how many they are.
    static func values(_ results: Results, _ page: PageRequest) -> [String: Any]? {
        guard let rate = results.responseRate, let base = results.responseBase else { return nil }
        let people = base == "headcount" ? results.headcount ?? 0 : results.attended
        let values = ["count": "\(results.submissions)", "people": "\(people)"]
        let texts = page.texts
        return [
            "percent": NumberText.percent(rate), "part": "\(Int((min(max(rate, 0), 1) * 100).rounded()))",
            "label": base == "headcount"
                ? texts("charts.of-headcount", values) : texts("charts.of-attended", values),
        ]
    }
}
