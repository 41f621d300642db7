import StrictJSON

extension ObjectReader {
    /// Finishes the reader. Throws all faults as one problem, including those for members that were never read.
    public func requireNoFaults() throws(Problem) {
        let faults = finish()
        guard faults.isEmpty else { throw Problem(faults) }
    }
}
