import NIOCore
import Synchronization

/// The text of a registry for `/metrics`, which is rendered at most once in its lifetime.
///
/// A service has a thousand series, and everybody may read them: their text takes milliseconds to render. So all readers
/// of a second get the same text, also those who ask while it is being rendered.
public final class MetricsText: Sendable {
    private let registry: PrometheusRegistry
    private let lifetime: Duration
    private let sample: @Sendable () -> Void
    private let kept = Mutex<(text: ByteBuffer, rendered: ContinuousClock.Instant)?>(nil)

    /// - Parameters:
    ///   - lifetime: How long a text is sent again, from the moment at which it was rendered.
    ///   - sample: Updates the gauges that are measured only before a text is rendered. It must not block.
    public init(
        _ registry: PrometheusRegistry, lifetime: Duration = .seconds(1), sample: @escaping @Sendable () -> Void = {}
    ) {
        (self.registry, self.lifetime, self.sample) = (registry, lifetime, sample)
    }

    /// The kept text, or a new one if that is too old.
    public func text(at now: ContinuousClock.Instant = .now) -> ByteBuffer {
        // Readers who ask in the meantime wait: rendering the text themselves would take as long.
        kept.withLock { kept in
            if let kept, now - kept.rendered < lifetime { return kept.text }
            sample()
            let text = ByteBuffer(string: registry.exposition())
            kept = (text, now)
            return text
        }
    }
}
