import Contract
import Domain
import Store

extension Contract.CoHost {
    init(_ host: StoredCoHost) {
        self.init(accountId: ResourceID(host.accountID), email: host.email, name: host.name, role: host.role)
    }
}

extension Contract.Member {
    init(_ member: StoredMember) {
        self.init(id: ResourceID(member.id), name: member.name, email: member.email, createdAt: member.createdAt)
    }
}

extension Contract.JoinCode {
    init(_ code: StoredJoinCode, publicURL: String) {
        self.init(
            id: ResourceID(code.id), code: code.code, capacity: code.capacity, used: code.used,
            createdAt: code.createdAt, expiresAt: code.expiresAt, url: "\(publicURL)/j/\(code.code)")
    }
}

extension Contract.Joining {
    init(_ joining: StoredJoining, name: PersonName) {
        self.init(
            series: joining.series, name: name.text, code: joining.personCode,
            mailed: joining.isMailed)
    }
}
