/// The minimum cut of a hypergraph with weighted hyperedges: the smallest total weight of the hyperedges that a
/// division of the vertices into two parts separates. A division that separates no hyperedge is not a cut.
///
/// It is found by maximum adjacency orderings, as in graphs (Nagamochi and Ibaraki, *Computing edge-connectivity in
/// multigraphs and capacitated graphs*, 1992). The orderings work for hyperedges too (Klimmek and Wagner, *A simple
/// hypergraph min cut algorithm*, 1996).
public struct MinimumCut: Sendable {
    /// The vertices that a hyperedge connects, and its weight.
    public struct Hyperedge: Sendable {
        public var vertices: [Int]
        public var weight: Int

        public init(_ vertices: [Int], weight: Int) {
            self.vertices = vertices
            self.weight = weight
        }
    }

    /// The remaining hyperedges and the number of remaining vertices. Vertices that no cut smaller than `smallestCut`
    /// separates are contracted to one.
    private var hyperedges: [Hyperedge]
    private var vertexCount: Int
    /// The weight of the smallest cut found so far.
    private var smallestCut = Int.max

    /// Returns the weight of the minimum cut, or nil if there is no cut. If the budget is exhausted, returns 0, which
    /// is less than the weight of any cut.
    ///
    /// - Parameter vertices: The number of vertices. The vertices of each hyperedge are numbers below it.
    public static func weight(
        of hyperedges: [Hyperedge], among vertices: Int, budget: SearchBudget = SearchBudget()
    ) -> Int? {
        var search = MinimumCut(hyperedges: hyperedges, vertexCount: vertices)
        while budget.spend(search.stepsOfContraction) {
            guard search.simplify() else { return search.smallestCut == .max ? nil : search.smallestCut }
            search.contract(search.inseparableGroups())
        }
        return 0
    }

    /// The steps that the next contraction takes. Usually a few contractions suffice, but some hypergraphs need
    /// one for each vertex.
    private var stepsOfContraction: Int { hyperedges.reduce(vertexCount) { $0 + 2 * $1.vertices.count } }

    /// Removes hyperedges that no cut separates, and merges hyperedges with the same vertices. Returns false if none is
    /// left.
    private mutating func simplify() -> Bool {
        for index in hyperedges.indices { hyperedges[index].vertices = Self.distinct(hyperedges[index].vertices) }
        hyperedges.removeAll { $0.vertices.count < 2 }
        hyperedges.sort { $0.vertices.lexicographicallyPrecedes($1.vertices) }
        var merged: [Hyperedge] = []
        for hyperedge in hyperedges {
            if merged.last?.vertices == hyperedge.vertices {
                merged[merged.count - 1].weight += hyperedge.weight
            } else {
                merged.append(hyperedge)
            }
        }
        hyperedges = merged
        return !hyperedges.isEmpty
    }

    private static func distinct(_ vertices: [Int]) -> [Int] {
        // Nearly all hyperedges connect two vertices.
        guard vertices.count == 2 else { return Set(vertices).sorted() }
        if vertices[0] == vertices[1] { return [vertices[0]] }
        return vertices[0] < vertices[1] ? vertices : [vertices[1], vertices[0]]
    }

    /// Orders the vertices by maximum adjacency: the next vertex is the one with the heaviest hyperedges to the
    /// vertices that are already ordered. Returns a number for each vertex. Vertices that no cut smaller than
    /// `smallestCut` separates have the same number.
    ///
    /// Let w be the total weight of the hyperedges between a vertex and all vertices before it. No cut smaller than w
    /// separates the vertex from its predecessor, because these two are the last vertices of a maximum adjacency
    /// ordering.
    private mutating func inseparableGroups() -> [Int] {
        var hyperedgesOf = [[Int]](repeating: [], count: vertexCount)
        var weights = [Int](repeating: 0, count: vertexCount)
        for (index, hyperedge) in hyperedges.enumerated() {
            for vertex in hyperedge.vertices {
                hyperedgesOf[vertex].append(index)
                weights[vertex] += hyperedge.weight
            }
        }
        // A cut can separate a single vertex from all others.
        for weight in weights where weight > 0 { smallestCut = min(smallestCut, weight) }

        var numbers = [Int](repeating: -1, count: vertexCount)
        var adjacencies = [Int](repeating: 0, count: vertexCount)
        var isTouched = [Bool](repeating: false, count: hyperedges.count)
        var next = 0
        var queue = VertexQueue()
        for start in 0..<vertexCount where numbers[start] < 0 {
            queue.add(start, 0)
            while let (vertex, weight) = queue.take() {
                guard numbers[vertex] < 0, weight == adjacencies[vertex] else { continue }
                if weight < smallestCut { next += 1 }
                numbers[vertex] = next - 1
                for index in hyperedgesOf[vertex] where !isTouched[index] {
                    isTouched[index] = true
                    for other in hyperedges[index].vertices where numbers[other] < 0 {
                        adjacencies[other] += hyperedges[index].weight
                        queue.add(other, adjacencies[other])
                    }
                }
            }
        }
        return numbers
    }

    private mutating func contract(_ numbers: [Int]) {
        for index in hyperedges.indices { hyperedges[index].vertices = hyperedges[index].vertices.map { numbers[$0] } }
        vertexCount = (numbers.max() ?? -1) + 1
    }
}

/// A priority queue of vertices by the weight of their hyperedges, the heaviest first. Of vertices with equal weights,
/// the one with the smaller number is first.
private struct VertexQueue {
    private var heap: [(vertex: Int, weight: Int)] = []

    private static func precedes(_ a: (vertex: Int, weight: Int), _ b: (vertex: Int, weight: Int)) -> Bool {
        a.weight == b.weight ? a.vertex < b.vertex : a.weight > b.weight
    }

    mutating func add(_ vertex: Int, _ weight: Int) {
        heap.append((vertex, weight))
        var index = heap.count - 1
        while index > 0, Self.precedes(heap[index], heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func take() -> (vertex: Int, weight: Int)? {
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
