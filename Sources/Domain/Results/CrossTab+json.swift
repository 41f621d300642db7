import StrictJSON

extension CrossTab {
    /// The contract's members that belong to the cross-tab itself, in their order.
    public var members: [JSONValue.Member] {
        [
            .init("answered", JSONValue(answered)),
            .init("rows", rows.json),
            .init("columns", columns.json),
            .init("labels", .array(labels.map { .string($0) })),
            .init("datasets", .array(datasets.map(\.json))),
            .init("points", .array(points.map(\.json))),
        ]
    }
}

extension CrossTab.Axis {
    fileprivate var json: JSONValue {
        .object([
            .init("key", .string(key)), .init("kind", .string(kind.rawValue)), .init("title", .string(title)),
            .init("answered", JSONValue(answered)),
        ])
    }
}

extension CrossTab.Point {
    fileprivate var json: JSONValue {
        .object([
            .init("row", .string(row)), .init("rowLabel", .string(rowLabel)),
            .init("column", .string(column)), .init("columnLabel", .string(columnLabel)),
            .init("count", JSONValue(count)), .init("share", JSONValue(share)),
            .init("low", JSONValue(low)), .init("high", JSONValue(high)),
        ])
    }
}
