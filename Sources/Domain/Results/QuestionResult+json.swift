import StrictJSON

extension QuestionResult {
    /// The contract's format: a text has only its numbers and whether it is released, a rating also its summary.
    public var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("key", .string(key)),
            .init("kind", .string(kind.rawValue)),
            .init("title", .string(title)),
            .init("answered", JSONValue(answered)),
            .init("skipped", JSONValue(skipped)),
        ]
        if let versions {
            members.append(.init("versions", .array([JSONValue(versions.lowerBound), JSONValue(versions.upperBound)])))
            members.append(.init("retired", .bool(isRetired)))
        }
        guard kind != .text else { return .object(members + [.init("released", .bool(isReleased))]) }
        members.append(.init("labels", .array(labels.map { .string($0) })))
        members.append(.init("datasets", .array(datasets.map(\.json))))
        members.append(.init("points", .array(points.map(\.json))))
        if let summary { members += summary.members }
        if let minLabel { members.append(.init("minLabel", .string(minLabel))) }
        if let maxLabel { members.append(.init("maxLabel", .string(maxLabel))) }
        return .object(members)
    }
}

extension QuestionResult.Dataset {
    var json: JSONValue {
        .object([
            .init("id", .string(id)), .init("label", .string(label)), .init("data", .array(data.map { JSONValue($0) })),
        ])
    }
}

extension QuestionResult.Point {
    fileprivate var json: JSONValue {
        var members: [JSONValue.Member] = [.init("id", .string(id)), .init("label", .string(label))]
        if let value { members.append(.init("value", JSONValue(value))) }
        members += [
            .init("count", JSONValue(count)), .init("share", JSONValue(share)), .init("low", JSONValue(low)),
            .init("high", JSONValue(high)),
        ]
        return .object(members)
    }
}

extension RatingSummary {
    fileprivate var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = [
            .init("mean", JSONValue(mean)),
            .init("median", JSONValue(median)),
            .init("standardDeviation", JSONValue(standardDeviation)),
            .init("confidence95", confidence95.map { .array([JSONValue($0.low), JSONValue($0.high)]) } ?? .null),
        ]
        if metric == .nps { members.append(.init("nps", nps?.json ?? .null)) }
        return members
    }
}

extension NetPromoterScore {
    fileprivate var json: JSONValue {
        .object([
            .init("score", JSONValue(score)), .init("low", JSONValue(interval?.low)),
            .init("high", JSONValue(interval?.high)), .init("promoters", JSONValue(promoters)),
            .init("passives", JSONValue(passives)), .init("detractors", JSONValue(detractors)),
        ])
    }
}
