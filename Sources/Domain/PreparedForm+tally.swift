extension PreparedForm {
    /// What one submission adds 1 to, in sorted order: for each question of this version either `#skipped`, or
    /// `#answered` and the buckets chosen.
    public func tally(_ answers: Answers) -> [TallyKey] {
        var keys: [TallyKey] = []
        keys.reserveCapacity(questions.count * 2)
        for index in sorted {
            let question = questions[index].key
            guard let answer = answers[question] else {
                keys.append(TallyKey(question: question, bucket: TallyKey.skipped))
                continue
            }
            keys.append(TallyKey(question: question, bucket: TallyKey.answered))
            switch answer {
            case .text: break
            case .rating(let rating): keys.append(TallyKey(question: question, bucket: String(rating)))
            case .choice(let ids, let other):
                // `#` sorts before every id, so sorting the ids keeps the whole list sorted.
                for bucket in (other == nil ? ids : ids + [TallyKey.other]).sorted() {
                    keys.append(TallyKey(question: question, bucket: bucket))
                }
            }
        }
        return keys
    }
}
