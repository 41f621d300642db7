import Contract
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct TwoInstances {
    @Test func instancesShowEachOthersSubmissions() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let store = try await service.fixture.secondStore()
            try await TestService.serve(store) { anyone in
                let otherHost = HTTPTestClient(port: anyone.port, authorization: service.host.authorization)
                let key = "0123456789abcdef"
                for _ in 0..<3 { try await meeting.submit(#"{"pace": 4}"#).expect(201) }
                let submitted = try await meeting.submit(#"{"pace": 5}"#, key: key).expect(201)
                let body = #"{"answers": {"pace": 5}}"#
                let again = try await anyone.post(
                    meeting.submissionsPath, json: body, headers: ["Idempotency-Key": key])
                #expect(again.status == 201 && again.body == submitted.body, "a retry may reach another instance")

                let first = try await meeting.results().expect(200)
                let second = try await otherHost.get("\(meeting.path)/results").expect(200)
                #expect(first.body == second.body && first["ETag"] == second["ETag"])
                #expect(try second.decoded(as: Contract.Results.self).submissions == 4)

                try await anyone.post(meeting.submissionsPath, json: #"{"answers": {"pace": 1}}"#).expect(201)
                #expect(try await meeting.results().decoded(as: Contract.Results.self).submissions == 5)
                try await otherHost.post("\(meeting.path)/form/close").expect(200)
                #expect(try await meeting.submit(#"{"pace": 4}"#).problem == "form-closed")
                #expect(try await service.anyone.get(meeting.formPath).json?["state"] == .string("closed"))
            }
            await store.close()
        }
    }
}
