import Foundation

/// A service whose exports are recognised by their headings, in English, German and Korean.
public enum SurveyService: String, Sendable, CaseIterable {
    case googleForms
    case limeSurvey
    case microsoftForms

    /// Nil if the headings are of no known service.
    public init?(header: [String]) {
        let names = header.map(Self.normalized)
        let first = names.first ?? ""
        if Self.google.times.contains(first) {
            self = .googleForms
        } else if names.count >= 3, Self.microsoft.times.contains(names[2]), first == "id" {
            self = .microsoftForms
        } else if Self.lime.ids.contains(first), names.prefix(4).contains(where: Self.lime.times.contains) {
            self = .limeSurvey
        } else {
            return nil
        }
    }

    public var name: String {
        switch self {
        case .googleForms: "Google Forms"
        case .limeSurvey: "LimeSurvey"
        case .microsoftForms: "Microsoft Forms"
        }
    }

    /// What a column is that the service adds to the questions. Nil for a question.
    ///
    /// Names and addresses are left out: imported forms have no attendees.
    func role(of name: String, at index: Int) -> ColumnUse? {
        let name = Self.normalized(name)
        switch self {
        case .googleForms:
            if index == 0 { return .submittedAt }
            return Self.google.others.contains(name) ? .skip : nil
        case .microsoftForms:
            if index == 2 { return .submittedAt }
            return index < 6 && Self.microsoft.others.contains(name) ? .skip : nil
        case .limeSurvey:
            if Self.lime.times.contains(name) { return .submittedAt }
            return Self.lime.ids.contains(name) || Self.lime.others.contains(name) ? .skip : nil
        }
    }

    /// LimeSurvey writes `Response ID` or `"id"`, depending on its settings.
    private static func normalized(_ name: String) -> String {
        name.trimmingCharacters(in: CharacterSet(charactersIn: " \u{FEFF}\"")).lowercased()
    }

    private static let google = (
        times: ["timestamp", "zeitstempel", "타임스탬프"],
        others: [
            "username", "email address", "score", "nutzername", "e-mail-adresse", "punktzahl", "사용자 이름", "이메일 주소",
            "점수",
        ]
    )
    private static let microsoft = (
        times: ["completion time", "fertigstellungszeit", "완료 시간"],
        others: [
            "id", "start time", "email", "name", "last modified time", "language", "startzeit", "e-mail",
            "uhrzeit der letzten änderung", "sprache", "시작 시간", "메일", "이름", "마지막으로 수정한 시간", "언어",
        ]
    )
    private static let lime = (
        ids: ["id", "response id", "antwort id", "antwort-id", "응답 id"],
        times: ["submitdate", "date submitted", "datum abgeschickt", "제출일"],
        others: [
            "lastpage", "last page", "letzte seite", "startlanguage", "start language", "start-sprache", "seed",
            "zufallsstartwert",
            "startdate", "date started", "datum gestartet", "datestamp", "date last action", "datum letzte aktivität",
            "ipaddr", "ip address", "ip-adresse", "refurl", "referrer url", "token", "access code", "zugangscode",
        ]
    )
}
