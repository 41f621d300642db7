import Contract
import Store

extension Contract.SavedTemplate {
    init(_ template: StoredSavedTemplate) {
        self.init(
            id: ResourceID(template.id), name: template.name,
            owner: Owner(id: ResourceID(template.ownerID), name: template.owner), createdAt: template.createdAt,
            updatedAt: template.updatedAt, questions: template.questions,
            definition: template.definition.map { FormBody($0) })
    }
}
