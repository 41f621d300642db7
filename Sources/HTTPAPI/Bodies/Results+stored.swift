import Contract
import Domain
import Store

extension Contract.Results {
    init(_ results: FormResults, of meeting: StoredMeeting) {
        var meeting = meeting
        meeting.form.submissions = results.submissions
        let response = FormResults.responseRate(meeting)
        let room = meeting.room
        self.init(
            meetingId: ResourceID(meeting.id), formId: ResourceID(results.formID), version: results.version,
            revision: results.revision, updatedAt: results.updatedAt, submissions: results.submissions,
            headcount: meeting.headcount, attended: meeting.attended, responseRate: response?.rate,
            responseBase: response?.base,
            withheld: results.withheld.map {
                Withheld(reason: "minimum-group", minimum: $0.minimum, shown: $0.shown)
            },
            questions: results.questions.map { QuestionResults($0.placed(in: room)) },
            changes: results.changes.list.map { Contract.QuestionChange($0) }, changesCut: results.changes.isTruncated,
            room: room.map { Room(people: $0.people, base: $0.base.rawValue, exceeded: $0.isExceeded) })
    }
}

extension Contract.QuestionChange {
    fileprivate init(_ change: Domain.QuestionChange) {
        self.init(
            version: change.version, at: change.at, key: change.key, option: change.option,
            change: change.kind.rawValue, from: change.from, to: change.to)
    }
}

extension Contract.FilteredResults {
    init(_ filtered: StoredFilteredResults, of meeting: StoredMeeting) {
        var results = Contract.Results(filtered.results, of: meeting)
        // Filtered results have no response rate: the number of attendees to whom the filter applies is unknown.
        (results.responseRate, results.responseBase, results.room) = (nil, nil, nil)
        for index in results.questions.indices { results.questions[index].room = nil }
        self.init(
            results: results, conditions: filtered.conditions.map(\.text), total: filtered.total,
            partial: filtered.sampleSize.map { SubmissionSampleSize(read: $0, total: filtered.total) })
    }
}

extension Contract.CrossTab {
    init(_ crossTab: FormCrossTab, of meeting: StoredMeeting) {
        let (results, table) = (crossTab.results, crossTab.table)
        self.init(
            meetingId: ResourceID(meeting.id), formId: ResourceID(results.formID), version: results.version,
            revision: results.revision, updatedAt: results.updatedAt, submissions: results.submissions,
            answered: table.answered, rows: Axis(table.rows), columns: Axis(table.columns), labels: table.labels,
            datasets: table.datasets.map { QuestionResults.Dataset($0) }, points: table.points.map { Point($0) },
            partial: crossTab.sampleSize.map { SubmissionSampleSize(read: $0, total: results.submissions) })
    }
}

extension Contract.GridAlpha {
    init(_ found: StoredGridAlpha, of meeting: StoredMeeting) {
        let results = found.results
        self.init(
            meetingId: ResourceID(meeting.id), formId: ResourceID(results.formID), version: results.version,
            revision: results.revision, updatedAt: results.updatedAt, submissions: results.submissions,
            grid: QuestionBody.Grid(found.grid), statements: found.statements, n: found.people,
            alpha: found.alpha?.value, confidence95: found.alpha.map { [$0.interval.low, $0.interval.high] },
            partial: found.sampleSize.map { SubmissionSampleSize(read: $0, total: results.submissions) })
    }
}

extension Contract.CrossTab.Axis {
    fileprivate init(_ axis: Domain.CrossTab.Axis) {
        self.init(key: axis.key, kind: axis.kind.rawValue, title: axis.title, answered: axis.answered)
    }
}

extension Contract.CrossTab.Point {
    fileprivate init(_ point: Domain.CrossTab.Point) {
        self.init(
            row: point.row, rowLabel: point.rowLabel, column: point.column, columnLabel: point.columnLabel,
            count: point.count, share: point.share, low: point.low, high: point.high)
    }
}
