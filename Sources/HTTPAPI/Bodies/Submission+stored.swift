import Contract
import Store
import StrictJSON

extension Contract.Submission {
    init(_ submission: StoredSubmission) {
        let answers = (submission.answers.members ?? []).map { ($0.name, $0.value) }
        self.init(
            id: ResourceID(submission.id), version: submission.version,
            answers: Dictionary(answers, uniquingKeysWith: { first, _ in first }),
            submittedAt: submission.submittedAt, updatedAt: submission.updatedAt)
    }
}

extension Contract.TextAnswer {
    init(_ answer: StoredTextAnswer) {
        self.init(
            id: ResourceID(answer.id), text: answer.text, submittedAt: answer.submittedAt, hidden: answer.isHidden,
            starred: answer.marks.isStarred ? true : nil, tags: answer.marks.tags.isEmpty ? nil : answer.marks.tags)
    }
}

extension Page {
    init(_ page: TextAnswerPage, _ item: (StoredTextAnswer) -> Item) {
        self.init(items: page.items.map(item), next: page.next, partial: page.isPartial)
    }
}

extension Terms {
    init(_ list: TermList, of key: String) {
        self.init(
            key: key, answers: list.answers, total: list.total, sampled: list.isSampled,
            items: list.items.map { Term(term: $0.term, count: $0.count, answers: $0.answers) })
    }
}

extension Timeline {
    init(_ timeline: FormTimeline, of meeting: StoredMeeting) {
        var total = 0
        let points = timeline.steps.map { step in
            total += step.count
            return Point(at: step.startsAt, count: step.count, total: total)
        }
        self.init(
            meetingId: ResourceID(meeting.id), formId: ResourceID(meeting.form.id),
            bucket: timeline.bucket.rawValue, timeZone: timeline.timeZone, labels: timeline.steps.map(\.label),
            startsAt: timeline.steps.map(\.startsAt),
            datasets: [Dataset(id: "submissions", label: "Submissions", data: timeline.steps.map(\.count))],
            points: points)
    }
}
