extension PreparedForm {
    /// The counts that one submission increments, sorted: for each question of this version either `#skipped`, or
    /// `#answered` and the chosen buckets.
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
            // `#` sorts before every id, so sorting the buckets keeps the whole list sorted.
            for bucket in answer.buckets.sorted() { keys.append(TallyKey(question: question, bucket: bucket)) }
        }
        return keys
    }
}
