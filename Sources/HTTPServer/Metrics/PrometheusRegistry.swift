import Metrics
import Synchronization

/// Metrics in memory, exported in Prometheus' text format 0.0.4.
///
/// A label and its dimensions identify one series; requesting them again returns the same one. A label that already
/// names another kind of metric gets an instrument that is not exported, because a family of two kinds would invalidate
/// the whole page.
public final class PrometheusRegistry: MetricsFactory {
    /// The buckets' upper bounds in seconds, from half a millisecond to ten seconds.
    public static let durations: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private let families = Mutex<[String: Family]>([:])
    private let buckets: [Double]

    public init(buckets: [Double] = PrometheusRegistry.durations) {
        self.buckets = buckets
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter) { IntegerCounter() }
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter) { Gauge() }
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge) { Gauge() }
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate { return series(label, dimensions, .histogram) { [buckets] in Histogram(buckets) } }
        return series(label, dimensions, .gauge) { Gauge() }
    }

    /// Durations are exported in seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram) { [buckets] in Histogram(buckets) }
    }

    // Series live as long as the process: a counter that vanished would look like a restart.
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// The whole page, families by name and series by labels.
    public func exposition() -> String {
        let families = families.withLock { $0 }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(name, labels, into: &text)
            }
        }
        return text
    }

    private func series<Instrument: MetricSeries>(
        _ label: String, _ dimensions: [(String, String)], _ kind: Family.Kind, make: () -> Instrument
    ) -> Instrument {
        let name = PrometheusText.name(label)
        let labels = PrometheusText.labels(dimensions)
        return families.withLock { families in
            // Changed in place: copying a family for each of its series would make start-up quadratic.
            let index = families.index(forKey: name)
            if let index, let known = families.values[index].series[labels] { return known as? Instrument ?? make() }
            let instrument = make()
            if let index {
                if families.values[index].kind == kind { families.values[index].series[labels] = instrument }
            } else {
                families[name] = Family(kind: kind, series: [labels: instrument])
            }
            return instrument
        }
    }

    private struct Family {
        enum Kind: String {
            case counter
            case gauge
            case histogram
        }

        let kind: Kind
        var series: [String: any MetricSeries]
    }
}
