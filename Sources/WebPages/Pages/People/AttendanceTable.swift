import Domain
import Foundation
import HTTPAPI
import Store

/// The attendance of a series as a table: people by rounds, with a rate for each person and each round.
struct AttendanceTable: TemplateValues {
    struct Round: TemplateValues {
        var number: String
        /// The title and the day.
        var name: String
        var path: String
    }

    struct Rate: TemplateValues {
        /// Nil if nobody was to come.
        var percent: String?
        /// For example `3 of 4`.
        var count: String?

        init(_ counts: AttendanceCounts, _ texts: PageTexts) {
            percent = counts.rate.map(NumberText.percent)
            guard percent != nil else { return }
            count = texts(
                "person.of", ["count": "\(counts.attended)", "rounds": "\(counts.attended + counts.absent)"])
        }
    }

    struct Cell: TemplateValues {
        /// Nil for a round on whose list the person is not.
        var mark: String?
        /// The status in words.
        var words: String
        /// The class of the cell.
        var kind: String
    }

    struct Person: TemplateValues {
        var name: String
        var historyPath: String
        var cells: [Cell]
        var rate: Rate
    }

    var rounds: [Round]
    var people: [Person]
    var totals: [Rate]
    /// Says that only the first people are listed. Nil if all are.
    var moreNotice: String?

    /// Nil if nobody is on the list of a round that has begun.
    init?(_ grid: AttendanceGrid, seriesPath: String, _ page: PageRequest) {
        guard !grid.rounds.isEmpty else { return nil }
        let texts = page.texts
        rounds = grid.rounds.map { round in
            let day = round.startsAt.map { LocalTime(round.timeZone).dayText($0, in: page.language) }
            return Round(
                number: "#\(round.round)", name: "\(round.title), \(day ?? texts("series.undated"))",
                path: "/meetings/\(round.id.uuidString.lowercased())/people")
        }
        people = grid.people.map { person in
            Person(
                name: person.name, historyPath: "\(seriesPath)/person?email=\(PathQuery.encode(person.email))",
                cells: grid.rounds.map { Self.cell(person.statuses[$0.id]?.rawValue, texts) },
                rate: Rate(person.counts, texts))
        }
        totals = grid.rounds.map { Rate($0.counts, texts) }
        moreNotice =
            grid.hasMorePeople ? texts("people.grid-more", ["listed": "\(AttendanceGrid.maxPeople)"]) : nil
    }

    private static func cell(_ status: String?, _ texts: PageTexts) -> Cell {
        guard let status else { return Cell(words: texts("person.unlisted"), kind: "unlisted") }
        let marks = ["present": "✓", "late": "◐", "absent": "✗"]
        return Cell(mark: marks[status] ?? "–", words: texts("person.\(status)"), kind: status)
    }
}
