import Foundation
import HTTPServer
import Metrics
import ServiceLifecycle
import Store

/// Keeps the gauge `last_backup_timestamp_seconds` up to date: the Unix time of the last backup, 0 if there is none.
struct BackupAge: ServiceLifecycle.Service {
    let store: Store
    let metrics: PrometheusRegistry

    private static let pause: Duration = .seconds(60)

    func run() async throws {
        let gauge = Gauge(label: "last_backup_timestamp_seconds", factory: metrics)
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            // If the database cannot be reached, the gauge keeps its value.
            if let last = try? await LastBackup.read(store) {
                gauge.record(last.finishedAt.timeIntervalSince1970)
            }
            // A shutdown ends the pause early, which is not an error.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.pause) }
        }
    }
}
