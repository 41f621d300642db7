/// Groups of people, each with the places that hold them together, and the smallest number of people whom a division of
/// the places in two tears apart.
///
/// A minimum cut of a hypergraph: orderings of maximum adjacency, as for graphs (Nagamochi and Ibaraki, *Computing
/// edge-connectivity in multigraphs and capacitated graphs*, 1992), hold for hyperedges too (Klimmek and Wagner, *A
/// simple hypergraph min cut algorithm*, 1996).
public struct SmallestCut: Sendable {
    /// What holds some places together, and how much that counts.
    public struct Tie: Sendable {
        public var places: [Int]
        public var weight: Int

        public init(_ places: [Int], weight: Int) {
            self.places = places
            self.weight = weight
        }
    }

    /// Ties that are looked at before the search is given up; forty thousand people take some hundred thousand.
    public static let patience = 20_000_000

    /// The places, as far as they are known not to be divided by anything smaller than `least`.
    private var ties: [Tie]
    private var places: Int
    private var least = Int.max
    private var looked = 0

    /// The weight of the smallest division that tears something; nil where none does. 0, which no division has, where the
    /// search was given up.
    ///
    /// - Parameter places: each tie's are numbers below it.
    public static func weight(of ties: [Tie], among places: Int, patience: Int = patience) -> Int? {
        var search = SmallestCut(ties: ties, places: places)
        while search.simplify() {
            search.looked += search.ties.count
            guard search.looked <= patience else { return 0 }
            search.unite(search.inseparable())
        }
        return search.least == .max ? nil : search.least
    }

    /// Leaves out what nothing can tear, and puts ties of the same places together; false where nothing is left.
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
        // Nearly all are pairs.
        guard places.count == 2 else { return Set(places).sorted() }
        if places[0] == places[1] { return [places[0]] }
        return places[0] < places[1] ? places : [places[1], places[0]]
    }

    /// Orders the places, each time the one that most of what is ordered already holds on to, and returns a number for
    /// each, the same for those that nothing smaller than `least` divides.
    ///
    /// A place and the one before it are divided by nothing smaller than what holds the place to all before it: the two
    /// are the end of such an order of these places alone.
    private mutating func inseparable() -> [Int] {
        var tiesOf = [[Int]](repeating: [], count: places)
        var weights = [Int](repeating: 0, count: places)
        for (index, tie) in ties.enumerated() {
            for place in tie.places {
                tiesOf[place].append(index)
                weights[place] += tie.weight
            }
        }
        // What tears a place from all others is a division too.
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

/// Places by the weight that holds them, the heaviest first; of equal ones the one with the smaller number.
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
