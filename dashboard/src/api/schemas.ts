import type { components, paths } from './schema.d.ts';

type Schemas = components['schemas'];

/** Short names for the types that are generated from the contract. */
export type Job = Schemas['ImageJob'];
export type JobSummary = Schemas['ImageJobSummary'];
export type JobPage = Schemas['ImageJobPage'];
export type UsedPrompt = Schemas['PromptPage']['items'][number];
export type Family = Schemas['ImageJobFamily'];
export type JobStatus = JobSummary['status'];
export type JobArtifact = JobSummary['artifacts'][number];
export type ImageRequest = Schemas['ImageRequest'];
/** A request of images with what only a job has, such as labels. */
export type JobRequest = Schemas['ImageRequest'] & Pick<Schemas['ImageJobCreate'], 'labels'>;
export type ImageResponse = Schemas['ImageResponse'];
export type Provenance = Schemas['Provenance'];
export type ArtifactCredentials = Schemas['ArtifactCredentials'];
export type ManifestReport = Schemas['ManifestReport'];
export type Capabilities = Schemas['CapabilityDocument'];
export type Provider = Schemas['ProviderDescriptor'];
export type Preset = Schemas['ImagePreset'];
export type PresetTemplate = Schemas['ImagePresetTemplate'];
export type Diagnostics = Schemas['Diagnostics'];
export type ProviderReport = Diagnostics['providers'][number];
export type ApiEvent = Diagnostics['events']['items'][number];
export type BridgeError = Schemas['BridgeError'];
export type ErrorReply = Schemas['ErrorReply'];
export type Queue = Schemas['ImageQueue'];
export type QueueJobPage = NonNullable<
  paths['/v1/queue/jobs']['get']['responses'][200]['content']['application/json']
>;
export type OwnQueue = Schemas['OwnImageQueue'];
export type JobBatch = Schemas['ImageJobBatch'];
export type JobBatchResult = Schemas['ImageJobBatchResult'];
export type UsageReport = Schemas['UsageReport'];
export type ImagePlan = Schemas['ImagePlan'];
export type PlanRequest = Schemas['ImagePlanRequest'];
export type PlanBatch = Schemas['ImagePlanBatch'];
export type PlanBatchResult = Schemas['ImagePlanBatchResult'];
export type RouteSum = Schemas['PlannedRouteSum'];
export type JobFeedEvent = Schemas['ImageJobFeedEvent'];
