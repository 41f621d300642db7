/// Waiting elements, each with a key. The keys take turns, so that a key with many elements does not delay the others.
struct FairQueue<Element> {
    /// The waiting elements of each key, the oldest first. No list is empty.
    private var elements: [String: [Element]] = [:]
    /// The keys of waiting elements. The first one is next.
    private var turns: [String] = []
    private(set) var count = 0

    func count(of key: String) -> Int { elements[key]?.count ?? 0 }

    mutating func append(_ element: Element, for key: String) {
        if elements[key] == nil { turns.append(key) }
        elements[key, default: []].append(element)
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard !turns.isEmpty else { return nil }
        let key = turns.removeFirst()
        guard var list = elements.removeValue(forKey: key) else { return nil }
        let element = list.removeFirst()
        count -= 1
        if !list.isEmpty {
            elements[key] = list
            turns.append(key)
        }
        return element
    }
}
