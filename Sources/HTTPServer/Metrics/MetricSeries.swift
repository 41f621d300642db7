import Metrics
import Synchronization

/// One time series of the metrics in text format: a single line, or the lines of a histogram.
protocol MetricSeries: AnyObject, Sendable {
    func write(_ name: String, _ labels: String, into text: inout String)
}

/// An integer counter.
final class IntegerCounter: MetricSeries, CounterHandler {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }

    func write(_ name: String, _ labels: String, into text: inout String) {
        text += PrometheusText.sample(name, labels, String(count.load(ordering: .relaxed)))
    }
}

/// A value that goes up and down. It also serves as a floating-point counter.
final class Gauge: MetricSeries, MeterHandler, RecorderHandler, FloatingPointCounterHandler {
    private let value = Mutex(0.0)

    func set(_ new: Int64) { value.withLock { $0 = Double(new) } }
    func set(_ new: Double) { value.withLock { $0 = new } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ new: Int64) { set(new) }
    func record(_ new: Double) { set(new) }
    func reset() { set(0.0) }

    func write(_ name: String, _ labels: String, into text: inout String) {
        text += PrometheusText.sample(name, labels, PrometheusText.number(value.withLock { $0 }))
    }
}

/// Counts of values in fixed buckets.
final class Histogram: MetricSeries, TimerHandler, RecorderHandler {
    private struct State {
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    /// - Parameter bounds: Inclusive upper bounds, ascending; one more bucket counts larger values.
    init(_ bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func write(_ name: String, _ labels: String, into text: inout String) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        var total = 0
        for (bound, count) in zip(bounds + [.infinity], counts) {
            total += count
            let bucketLabel = "le=\"\(PrometheusText.number(bound))\""
            let allLabels = labels.isEmpty ? bucketLabel : labels + "," + bucketLabel
            text += PrometheusText.sample(name + "_bucket", allLabels, String(total))
        }
        text += PrometheusText.sample(name + "_sum", labels, PrometheusText.number(sum))
        text += PrometheusText.sample(name + "_count", labels, String(total))
    }
}
