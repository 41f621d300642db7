import Synchronization

/// The right to one export; given back when it is freed, also by an export that nobody ever read.
public final class ExportSlot: Sendable {
    private let slots: ExportSlots

    fileprivate init(_ slots: ExportSlots) { self.slots = slots }

    deinit { slots.giveBack() }
}

final class ExportSlots: Sendable {
    private let free: Mutex<Int>

    init(_ width: Int) { free = Mutex(width) }

    /// Nil when all are taken.
    func take() -> ExportSlot? {
        let isFree = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        return isFree ? ExportSlot(self) : nil
    }

    fileprivate func giveBack() { free.withLock { $0 += 1 } }
}
