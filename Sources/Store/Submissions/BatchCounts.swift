import Domain

/// The counts of a batch, in the form that the SQL function `ingest` expects: the buckets that occur, with their sums
/// and with the rows that increment them.
struct BatchCounts {
    private(set) var questions: [String] = []
    private(set) var buckets: [String] = []
    private(set) var totals: [Int64] = []
    private(set) var hitRows: [Int32] = []
    private(set) var hitBuckets: [Int32] = []
    /// The ordinals of the buckets that occur, from 1.
    private var ordinals: [TallyKey: Int32] = [:]
    /// The version of the last row, and the ordinals of its keys; 0 for a key that has not occurred.
    private var version: PreparedForm?
    private var knownOrdinals: [Int32] = []

    /// - Parameter row: The ordinal of the row, from 1.
    mutating func add(_ increments: TallyIncrements, row: Int32) {
        if version !== increments.version {
            version = increments.version
            knownOrdinals = Array(repeating: 0, count: increments.version.tallyKeys.count)
        }
        for index in increments.indices {
            var bucket = knownOrdinals[Int(index)]
            if bucket == 0 {
                bucket = ordinal(of: increments.version.tallyKeys[Int(index)])
                knownOrdinals[Int(index)] = bucket
            }
            add(bucket, row)
        }
        for key in increments.others { add(ordinal(of: key), row) }
    }

    private mutating func add(_ bucket: Int32, _ row: Int32) {
        totals[Int(bucket) - 1] += 1
        hitRows.append(row)
        hitBuckets.append(bucket)
    }

    private mutating func ordinal(of key: TallyKey) -> Int32 {
        if let ordinal = ordinals[key] { return ordinal }
        questions.append(key.question)
        buckets.append(key.bucket)
        totals.append(0)
        ordinals[key] = Int32(totals.count)
        return Int32(totals.count)
    }
}
