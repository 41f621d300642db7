import Contract
import Foundation

/// Names the time zones of those times in a list that go by another clock than the rest of it.
struct ZoneNames {
    /// Nil where the times of a list differ and nobody said which zone is their own.
    private let usual: TimeZone?

    /// - Parameter own: the reader's, if they have said it.
    init(_ own: String? = nil, among zones: [String]) {
        let known = Set(zones)
        usual = (own ?? (known.count == 1 ? known.first : nil)).map { LocalTime($0).zone }
    }

    /// `Asia/Seoul`, or nil where the clock is the usual one.
    func name(_ zone: String, at date: Date) -> String? {
        let offset = LocalTime(zone).zone.secondsFromGMT(for: date)
        return usual?.secondsFromGMT(for: date) == offset ? nil : zone.replacing("_", with: " ")
    }

    /// A time with its zone, where that has to be said.
    func text(_ date: Date, in zone: String, _ language: Language) -> String {
        LocalTime(zone).text(date, in: language) + suffix(zone, date)
    }

    func dayText(_ date: Date, in zone: String, _ language: Language) -> String {
        LocalTime(zone).dayText(date, in: language) + suffix(zone, date)
    }

    private func suffix(_ zone: String, _ date: Date) -> String { name(zone, at: date).map { " (\($0))" } ?? "" }
}
