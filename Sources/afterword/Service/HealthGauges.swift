import Foundation
import HTTPServer
import Metrics
import ServiceLifecycle
import Store

/// Keeps the gauges of backups and disks up to date: `last_backup_timestamp_seconds`, the Unix time of the last backup,
/// 0 if there is none; and `disk_free_bytes` with the label `content`, `data` or `postgres`.
struct HealthGauges: ServiceLifecycle.Service {
    let store: Store
    /// The data folder.
    let data: String
    let metrics: PrometheusRegistry

    private static let pause: Duration = .seconds(60)

    func run() async throws {
        let backup = Gauge(label: "last_backup_timestamp_seconds", factory: metrics)
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            // If the database cannot be reached, the gauge keeps its value.
            if let last = try? await LastBackup.read(store) {
                backup.record(last.finishedAt.timeIntervalSince1970)
            }
            for disk in await MonitoredDisk.read(data: data, postgres: store.postgresFolder) {
                for content in disk.contents {
                    Gauge(label: "disk_free_bytes", dimensions: [("content", content.rawValue)], factory: metrics)
                        .record(disk.freeBytes)
                }
            }
            // A shutdown ends the pause early, which is not an error.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.pause) }
        }
    }
}
