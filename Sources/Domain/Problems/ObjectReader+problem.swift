import StrictJSON

extension ObjectReader {
    /// Ends the reading: throws all faults as one problem, members that were never read included.
    public func requireNoFaults() throws(Problem) {
        let faults = finish()
        guard faults.isEmpty else { throw Problem(faults) }
    }
}
