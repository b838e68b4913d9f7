/** Every endpoint of the service, by resource. A test compares this list with the folders. */
// oxlint-disable max-lines -- two lines for each endpoint
import { createApiKey } from "./admin/create-api-key.ts";
import { createCreditGrant } from "./admin/create-credit-grant.ts";
import { createOrganization } from "./admin/create-organization.ts";
import { createWorkspace } from "./admin/create-workspace.ts";
import { listLedger } from "./admin/list-ledger.ts";
import { getOrganizationMove } from "./admin/get-organization-move.ts";
import { listShards } from "./admin/list-shards.ts";
import { moveOrganization } from "./admin/move-organization.ts";
import { patchShard } from "./admin/patch-shard.ts";
import { putBillingPlan } from "./admin/put-billing-plan.ts";
import { putWorkspaceBillingPlan } from "./admin/put-workspace-billing-plan.ts";
import { revokeApiKey } from "./admin/revoke-api-key.ts";
import { deleteAsset } from "./assets/delete-asset.ts";
import { getAssetDownloadUrl } from "./assets/get-asset-download-url.ts";
import { importAsset } from "./assets/import-asset.ts";
import { listAssets } from "./assets/list-assets.ts";
import { uploadAsset } from "./assets/upload-asset.ts";
import { cancelBatch } from "./batch-executions/cancel-batch.ts";
import { createBatch } from "./batch-executions/create-batch.ts";
import { downloadExport } from "./batch-executions/download-export.ts";
import { estimateBatch } from "./batch-executions/estimate-batch.ts";
import { getBatch } from "./batch-executions/get-batch.ts";
import { getExport } from "./batch-executions/get-export.ts";
import { getItem } from "./batch-executions/get-item.ts";
import { listBatches } from "./batch-executions/list-batches.ts";
import { listItems } from "./batch-executions/list-items.ts";
import { requestExport } from "./batch-executions/request-export.ts";
import { retryBatch } from "./batch-executions/retry-batch.ts";
import { startBatch } from "./batch-executions/start-batch.ts";
import { streamBatchEvents } from "./batch-executions/stream-batch-events.ts";
import { composeBundleManifest } from "./bundle-manifests/compose-bundle-manifest.ts";
import { validateBundleManifest } from "./bundle-manifests/validate-bundle-manifest.ts";
import { createToken } from "./auth/create-token.ts";
import { getJsonSchema } from "./catalog/get-json-schema.ts";
import { getNodeType } from "./catalog/get-node-type.ts";
import { listModelVoices } from "./catalog/list-model-voices.ts";
import { getModelParameters } from "./catalog/get-model-parameters.ts";
import { getNodeTypeModels } from "./catalog/get-node-type-models.ts";
import { listCapabilities } from "./catalog/list-capabilities.ts";
import { listEffects } from "./catalog/list-effects.ts";
import { listModels } from "./catalog/list-models.ts";
import { listPresets } from "./catalog/list-presets.ts";
import { listNodeTypes } from "./catalog/list-node-types.ts";
import type { Endpoint } from "./define-endpoint.ts";
import { cancelEmbedExecution } from "./embed/cancel-embed-execution.ts";
import { checkExecution } from "./embed/check-execution.ts";
import { getConfig } from "./embed/get-config.ts";
import { getEmbedExecution } from "./embed/get-embed-execution.ts";
import { getEmbedResult } from "./embed/get-embed-result.ts";
import { mintEditorToken } from "./embed/mint-editor-token.ts";
import { abortEmbedUpload } from "./embed/abort-embed-upload.ts";
import { completeEmbedUpload } from "./embed/complete-embed-upload.ts";
import { createEmbedUpload } from "./embed/create-embed-upload.ts";
import { finalizeEmbedUpload } from "./embed/finalize-embed-upload.ts";
import { getEmbedUpload } from "./embed/get-embed-upload.ts";
import { signEmbedParts } from "./embed/sign-embed-parts.ts";
import { streamEmbedEvents } from "./embed/stream-embed-events.ts";
import { uploadEmbedAsset } from "./embed/upload-embed-asset.ts";
import { mintToken } from "./embed/mint-token.ts";
import { revokeToken } from "./embed/revoke-token.ts";
import { submitEmbedExecution } from "./embed/submit-embed-execution.ts";
import { cancelExecution } from "./executions/cancel-execution.ts";
import { compareExecutions } from "./executions/compare-executions.ts";
import { downloadExecutionZip } from "./executions/download-execution-zip.ts";
import { getExecutionOutputs } from "./executions/get-execution-outputs.ts";
import { getExecutionResult } from "./executions/get-execution-result.ts";
import { getExecutionTrace } from "./executions/get-execution-trace.ts";
import { getExecutionZipStatus } from "./executions/get-execution-zip-status.ts";
import { getExecution } from "./executions/get-execution.ts";
import { listExecutions } from "./executions/list-executions.ts";
import { listTraceIterations } from "./executions/list-trace-iterations.ts";
import { requestExecutionZip } from "./executions/request-execution-zip.ts";
import { streamExecutionEvents } from "./executions/stream-execution-events.ts";
import { createSchedule } from "./schedules/create-schedule.ts";
import { deleteSchedule } from "./schedules/delete-schedule.ts";
import { getSchedule } from "./schedules/get-schedule.ts";
import { listFirings } from "./schedules/list-firings.ts";
import { listSchedules } from "./schedules/list-schedules.ts";
import { patchSchedule } from "./schedules/patch-schedule.ts";
import { pauseSchedule } from "./schedules/pause-schedule.ts";
import { previewSchedule } from "./schedules/preview-schedule.ts";
import { resumeSchedule } from "./schedules/resume-schedule.ts";
import { triggerSchedule } from "./schedules/trigger-schedule.ts";
import { retryExecution } from "./executions/retry-execution.ts";
import { submitExecution } from "./executions/submit-execution.ts";
import { getFile } from "./files/get-file.ts";
import { createColorProfile } from "./color-profiles/create-color-profile.ts";
import { deleteColorProfile } from "./color-profiles/delete-color-profile.ts";
import { listColorProfiles } from "./color-profiles/list-color-profiles.ts";
import { archiveFont } from "./fonts/archive-font.ts";
import { createFont } from "./fonts/create-font.ts";
import { createFontRevision } from "./fonts/create-font-revision.ts";
import { getFontFile } from "./fonts/get-font-file.ts";
import { getFontVariant } from "./fonts/get-font-variant.ts";
import { listFonts } from "./fonts/list-fonts.ts";
import { archiveTemplate } from "./design-templates/archive-template.ts";
import { createShareLink } from "./design-templates/create-share-link.ts";
import { createTemplate } from "./design-templates/create-template.ts";
import { deleteTemplate } from "./design-templates/delete-template.ts";
import { duplicateTemplate } from "./design-templates/duplicate-template.ts";
import { getDraftContent } from "./design-templates/get-draft-content.ts";
import { getExactPreview } from "./design-templates/get-exact-preview.ts";
import { getPublishReadiness } from "./design-templates/get-publish-readiness.ts";
import { getSharedTemplate } from "./design-templates/get-shared-template.ts";
import { getTemplate } from "./design-templates/get-template.ts";
import { getTemplateVersion } from "./design-templates/get-template-version.ts";
import { getTemplateVersionContent } from "./design-templates/get-template-version-content.ts";
import { getTemplateVersionContract } from "./design-templates/get-template-version-contract.ts";
import { importTemplate } from "./design-templates/import-template.ts";
import { listShareLinks } from "./design-templates/list-share-links.ts";
import { listTemplateVersions } from "./design-templates/list-template-versions.ts";
import { listTemplates } from "./design-templates/list-templates.ts";
import { patchTemplate } from "./design-templates/patch-template.ts";
import { publishTemplate } from "./design-templates/publish-template.ts";
import { putDraftContent } from "./design-templates/put-draft-content.ts";
import { renderDraft } from "./design-templates/render-draft.ts";
import { renderVersion } from "./design-templates/render-version.ts";
import { revertTemplate } from "./design-templates/revert-template.ts";
import { revokeShareLink } from "./design-templates/revoke-share-link.ts";
import { createElement } from "./design-templates/create-element.ts";
import { getPalette } from "./design-templates/get-palette.ts";
import { importSvg } from "./design-templates/import-svg.ts";
import { replacePaletteColor } from "./design-templates/replace-palette-color.ts";
import { createMaster } from "./design-templates/create-master.ts";
import { createPage } from "./design-templates/create-page.ts";
import { createSampleSet } from "./design-templates/create-sample-set.ts";
import { deleteElement } from "./design-templates/delete-element.ts";
import { deleteMaster } from "./design-templates/delete-master.ts";
import { deletePage } from "./design-templates/delete-page.ts";
import { deleteSampleSet } from "./design-templates/delete-sample-set.ts";
import { getSampleSet } from "./design-templates/get-sample-set.ts";
import { listSampleSets } from "./design-templates/list-sample-sets.ts";
import { patchElement } from "./design-templates/patch-element.ts";
import { patchMaster } from "./design-templates/patch-master.ts";
import { patchPage } from "./design-templates/patch-page.ts";
import { patchSampleSet } from "./design-templates/patch-sample-set.ts";
import { getHealth } from "./health/get-health.ts";
import { getAgentSkill } from "./discovery/get-agent-skill.ts";
import { getAgentSkills } from "./discovery/get-agent-skills.ts";
import { getApiCatalog } from "./discovery/get-api-catalog.ts";
import { getOpenApiDocument } from "./docs/get-openapi-document.ts";
import { activateEndpoint } from "./webhooks/activate-endpoint.ts";
import { archiveEndpoint } from "./webhooks/archive-endpoint.ts";
import { createEndpoint } from "./webhooks/create-endpoint.ts";
import { getDelivery } from "./webhooks/get-delivery.ts";
import { getEndpoint } from "./webhooks/get-endpoint.ts";
import { listActivity } from "./webhooks/list-activity.ts";
import { listDeliveries } from "./webhooks/list-deliveries.ts";
import { listEndpoints } from "./webhooks/list-endpoints.ts";
import { patchEndpoint } from "./webhooks/patch-endpoint.ts";
import { pauseEndpoint } from "./webhooks/pause-endpoint.ts";
import { replayDelivery } from "./webhooks/replay-delivery.ts";
import { retryDelivery } from "./webhooks/retry-delivery.ts";
import { revokePreviousSecret } from "./webhooks/revoke-previous-secret.ts";
import { rotateSecret } from "./webhooks/rotate-secret.ts";
import { testEndpoint } from "./webhooks/test-endpoint.ts";
import { checkSystemProvider } from "./providers/check-system-provider.ts";
import { checkWorkspaceProvider } from "./providers/check-workspace-provider.ts";
import { putSystemProvider } from "./providers/put-system-provider.ts";
import { getSystemProvider } from "./providers/get-system-provider.ts";
import { listSystemProviders } from "./providers/list-system-providers.ts";
import { deleteSystemProvider } from "./providers/delete-system-provider.ts";
import { putWorkspaceProvider } from "./providers/put-workspace-provider.ts";
import { getWorkspaceProvider } from "./providers/get-workspace-provider.ts";
import { listWorkspaceProviders } from "./providers/list-workspace-providers.ts";
import { deleteWorkspaceProvider } from "./providers/delete-workspace-provider.ts";
import { putModelDefault } from "./model-defaults/put-model-default.ts";
import { listModelDefaults } from "./model-defaults/list-model-defaults.ts";
import { deleteModelDefault } from "./model-defaults/delete-model-default.ts";
import { getBillingPlan } from "./billing-plan/get-billing-plan.ts";
import { inspectDataset } from "./structured-data/inspect-dataset.ts";
import { clearCache } from "./cache/clear-cache.ts";
import { getCache } from "./cache/get-cache.ts";
import { getStorageQuota } from "./storage/get-storage-quota.ts";
import { getStorageUsage } from "./storage/get-storage-usage.ts";
import { abortUpload } from "./uploads/abort-upload.ts";
import { completeUpload } from "./uploads/complete-upload.ts";
import { createUpload } from "./uploads/create-upload.ts";
import { finalizeUpload } from "./uploads/finalize-upload.ts";
import { getUpload } from "./uploads/get-upload.ts";
import { putUploadBytes } from "./uploads/put-upload-bytes.ts";
import { signUploadParts } from "./uploads/sign-upload-parts.ts";
import { createFolder } from "./workflow-folders/create-folder.ts";
import { getFolderContent } from "./workflow-folders/get-folder-content.ts";
import { listFolders } from "./workflow-folders/list-folders.ts";
import { moveWorkflows } from "./workflow-folders/move-workflows.ts";
import { archiveWorkflow } from "./workflows/archive-workflow.ts";
import { cloneWorkflow } from "./workflows/clone-workflow.ts";
import { createWorkflow } from "./workflows/create-workflow.ts";
import { deleteWorkflow } from "./workflows/delete-workflow.ts";
import { estimateWorkflow } from "./workflows/estimate-workflow.ts";
import { getDefinition } from "./workflows/get-definition.ts";
import { getTemplateRevisions } from "./workflows/get-template-revisions.ts";
import { getWorkflow } from "./workflows/get-workflow.ts";
import { listVersions } from "./workflows/list-versions.ts";
import { listWorkflows } from "./workflows/list-workflows.ts";
import { patchWorkflow } from "./workflows/patch-workflow.ts";
import { publishWorkflow } from "./workflows/publish-workflow.ts";
import { putDefinition } from "./workflows/put-definition.ts";
import { revertWorkflow } from "./workflows/revert-workflow.ts";
import { upgradeTemplateRevisions } from "./workflows/upgrade-template-revisions.ts";
import { validateDefinition } from "./workflows/validate-definition.ts";
import { validateWorkflow } from "./workflows/validate-workflow.ts";

export const ENDPOINTS: readonly Endpoint[] = [
  // authentication
  createToken,
  // workflows
  listWorkflows,
  createWorkflow,
  validateDefinition,
  getWorkflow,
  patchWorkflow,
  deleteWorkflow,
  getDefinition,
  putDefinition,
  validateWorkflow,
  listVersions,
  estimateWorkflow,
  publishWorkflow,
  revertWorkflow,
  archiveWorkflow,
  cloneWorkflow,
  getTemplateRevisions,
  upgradeTemplateRevisions,
  // workflow folders
  listFolders,
  createFolder,
  moveWorkflows,
  getFolderContent,
  // catalog
  listNodeTypes,
  getNodeType,
  getNodeTypeModels,
  listModels,
  getModelParameters,
  listModelVoices,
  listCapabilities,
  listPresets,
  listEffects,
  getJsonSchema,
  // plan
  getBillingPlan,
  // operator
  createOrganization,
  moveOrganization,
  getOrganizationMove,
  createWorkspace,
  putWorkspaceBillingPlan,
  createApiKey,
  revokeApiKey,
  putBillingPlan,
  createCreditGrant,
  listLedger,
  listShards,
  patchShard,
  putSystemProvider,
  getSystemProvider,
  listSystemProviders,
  deleteSystemProvider,
  checkSystemProvider,
  putWorkspaceProvider,
  getWorkspaceProvider,
  listWorkspaceProviders,
  deleteWorkspaceProvider,
  checkWorkspaceProvider,
  putModelDefault,
  listModelDefaults,
  deleteModelDefault,
  // schedules
  createSchedule,
  listSchedules,
  previewSchedule,
  getSchedule,
  patchSchedule,
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  triggerSchedule,
  listFirings,
  // executions
  submitExecution,
  createBatch,
  estimateBatch,
  listBatches,
  getBatch,
  startBatch,
  cancelBatch,
  retryBatch,
  listItems,
  getItem,
  streamBatchEvents,
  requestExport,
  getExport,
  downloadExport,
  listExecutions,
  getExecution,
  getExecutionResult,
  getExecutionOutputs,
  getExecutionTrace,
  compareExecutions,
  listTraceIterations,
  streamExecutionEvents,
  cancelExecution,
  retryExecution,
  requestExecutionZip,
  getExecutionZipStatus,
  downloadExecutionZip,
  // webhooks
  listEndpoints,
  createEndpoint,
  getEndpoint,
  patchEndpoint,
  archiveEndpoint,
  testEndpoint,
  activateEndpoint,
  pauseEndpoint,
  rotateSecret,
  revokePreviousSecret,
  listDeliveries,
  getDelivery,
  retryDelivery,
  replayDelivery,
  listActivity,
  // assets
  uploadAsset,
  importAsset,
  listAssets,
  deleteAsset,
  inspectDataset,
  composeBundleManifest,
  validateBundleManifest,
  getAssetDownloadUrl,
  createUpload,
  getUpload,
  finalizeUpload,
  signUploadParts,
  completeUpload,
  abortUpload,
  putUploadBytes,
  // color profiles
  listColorProfiles,
  createColorProfile,
  deleteColorProfile,
  // fonts
  listFonts,
  createFont,
  createFontRevision,
  archiveFont,
  getFontFile,
  getFontVariant,
  // design templates
  listTemplates,
  createTemplate,
  getTemplate,
  patchTemplate,
  deleteTemplate,
  archiveTemplate,
  revertTemplate,
  duplicateTemplate,
  importSvg,
  getPalette,
  replacePaletteColor,
  listShareLinks,
  createShareLink,
  revokeShareLink,
  getSharedTemplate,
  importTemplate,
  listTemplateVersions,
  getTemplateVersion,
  getTemplateVersionContent,
  getTemplateVersionContract,
  getDraftContent,
  putDraftContent,
  getPublishReadiness,
  publishTemplate,
  renderVersion,
  renderDraft,
  createPage,
  patchPage,
  deletePage,
  createMaster,
  patchMaster,
  deleteMaster,
  createElement,
  patchElement,
  deleteElement,
  createSampleSet,
  patchSampleSet,
  deleteSampleSet,
  listSampleSets,
  getExactPreview,
  getSampleSet,
  // embeds
  mintToken,
  mintEditorToken,
  revokeToken,
  getConfig,
  checkExecution,
  submitEmbedExecution,
  getEmbedExecution,
  getEmbedResult,
  cancelEmbedExecution,
  streamEmbedEvents,
  uploadEmbedAsset,
  createEmbedUpload,
  getEmbedUpload,
  signEmbedParts,
  completeEmbedUpload,
  finalizeEmbedUpload,
  abortEmbedUpload,
  // cache
  getCache,
  clearCache,
  // storage
  getStorageUsage,
  getStorageQuota,
  // files
  getFile,
  // discovery
  getHealth,
  getApiCatalog,
  getAgentSkills,
  getAgentSkill,
  getOpenApiDocument,
];
