/// The minimum cut of a hypergraph, whose places are vertices and whose ties are weighted hyperedges: the smallest
/// number of people that a division of the places in two separates.
///
/// Maximum adjacency orderings find it as in graphs (Nagamochi and Ibaraki, *Computing edge-connectivity in multigraphs
/// and capacitated graphs*, 1992), because they hold for hyperedges too (Klimmek and Wagner, *A simple hypergraph min
/// cut algorithm*, 1996).
public struct SmallestCut: Sendable {
    /// A hyperedge: the places that it connects, and its weight.
    public struct Tie: Sendable {
        public var places: [Int]
        public var weight: Int

        public init(_ places: [Int], weight: Int) {
            self.places = places
            self.weight = weight
        }
    }

    /// The number of ties that are examined before the search is given up; forty thousand people need some hundred
    /// thousand.
    public static let patience = 20_000_000

    /// The remaining ties and places. Places that no cut smaller than `least` separates are united.
    private var ties: [Tie]
    private var places: Int
    private var least = Int.max
    private var looked = 0

    /// Returns the weight of the smallest cut; nil if there is none. If the search is given up, returns 0, which no cut
    /// has.
    ///
    /// - Parameter places: The number of places; the places of each tie are numbers below it.
    public static func weight(of ties: [Tie], among places: Int, patience: Int = patience) -> Int? {
        var search = SmallestCut(ties: ties, places: places)
        while search.simplify() {
            search.looked += search.ties.count
            guard search.looked <= patience else { return 0 }
            search.unite(search.inseparable())
        }
        return search.least == .max ? nil : search.least
    }

    /// Removes ties that no cut separates, and merges ties of the same places; returns false if none is left.
    private mutating func simplify() -> Bool {
        for index in ties.indices { ties[index].places = Self.distinct(ties[index].places) }
        ties.removeAll { $0.places.count < 2 }
        ties.sort { $0.places.lexicographicallyPrecedes($1.places) }
        var merged: [Tie] = []
        for tie in ties {
            if merged.last?.places == tie.places {
                merged[merged.count - 1].weight += tie.weight
            } else {
                merged.append(tie)
            }
        }
        ties = merged
        return !ties.isEmpty
    }

    private static func distinct(_ places: [Int]) -> [Int] {
        // Nearly all ties connect two places.
        guard places.count == 2 else { return Set(places).sorted() }
        if places[0] == places[1] { return [places[0]] }
        return places[0] < places[1] ? places : [places[1], places[0]]
    }

    /// Orders the places by maximum adjacency, the place with the heaviest ties to those already ordered next. Returns
    /// a number for each place, the same for places that no cut smaller than `least` separates.
    ///
    /// No cut smaller than the weight of a place's ties to all before it separates it from the place directly before
    /// it, because these two are the last of such an ordering.
    private mutating func inseparable() -> [Int] {
        var tiesOf = [[Int]](repeating: [], count: places)
        var weights = [Int](repeating: 0, count: places)
        for (index, tie) in ties.enumerated() {
            for place in tie.places {
                tiesOf[place].append(index)
                weights[place] += tie.weight
            }
        }
        // Separating a single place is a cut too.
        for weight in weights where weight > 0 { least = min(least, weight) }

        var numbers = [Int](repeating: -1, count: places)
        var held = [Int](repeating: 0, count: places)
        var isTouched = [Bool](repeating: false, count: ties.count)
        var next = 0
        var queue = PlaceQueue()
        for start in 0..<places where numbers[start] < 0 {
            queue.add(start, 0)
            while let (place, weight) = queue.take() {
                guard numbers[place] < 0, weight == held[place] else { continue }
                if weight < least { next += 1 }
                numbers[place] = next - 1
                for index in tiesOf[place] where !isTouched[index] {
                    isTouched[index] = true
                    for other in ties[index].places where numbers[other] < 0 {
                        held[other] += ties[index].weight
                        queue.add(other, held[other])
                    }
                }
            }
        }
        return numbers
    }

    private mutating func unite(_ numbers: [Int]) {
        for index in ties.indices { ties[index].places = ties[index].places.map { numbers[$0] } }
        places = (numbers.max() ?? -1) + 1
    }

    private init(ties: [Tie], places: Int) {
        (self.ties, self.places) = (ties, places)
    }
}

/// Places by the weight of their ties, the heaviest first; of equal ones, the smaller number first.
private struct PlaceQueue {
    private var heap: [(place: Int, weight: Int)] = []

    private static func precedes(_ a: (place: Int, weight: Int), _ b: (place: Int, weight: Int)) -> Bool {
        a.weight == b.weight ? a.place < b.place : a.weight > b.weight
    }

    mutating func add(_ place: Int, _ weight: Int) {
        heap.append((place, weight))
        var index = heap.count - 1
        while index > 0, Self.precedes(heap[index], heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func take() -> (place: Int, weight: Int)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var index = 0
        while true {
            var best = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if Self.precedes(heap[child], heap[best]) { best = child }
            }
            if best == index { return first }
            heap.swapAt(index, best)
            index = best
        }
    }
}
