import type * as v from 'valibot';
import { EditsForm } from '../../../lib/contract/openai/form.ts';
import { BridgeExt, EditsBody, GenerationsBody } from '../../../lib/contract/openai/images.ts';
import { Model, ModelList } from '../../../lib/contract/openai/models.ts';
import {
  EditPlan,
  GenerationPlan,
  OpenAiPlanRequest,
  PlanBody,
} from '../../../lib/contract/openai/plan.ts';
import {
  BridgeExtReport,
  EditStreamEvent,
  GenerationStreamEvent,
  ImagesResponse,
  ImageUsage,
} from '../../../lib/contract/openai/response.ts';
import { ErrorReply, FlatBridgeError } from '../../../lib/contract/reply/error.ts';
import {
  ImagePlan,
  PlannedRoute,
  PlannedTransparency,
} from '../../../lib/contract/reply/image-plan.ts';
import {
  Attempt,
  Delivered,
  GeneratedImage,
  ImageResponse,
  Normalization,
  SessionReport,
  Timings,
  Usage,
} from '../../../lib/contract/reply/image-response.ts';
import { ImageMetadataRecord } from '../../../lib/contract/reply/metadata-record.ts';
import { PlanBatchResult, RouteSum } from '../../../lib/contract/reply/plan-batch-result.ts';
import { Provenance } from '../../../lib/contract/reply/provenance.ts';
import {
  CompletedEvent,
  ErrorEvent,
  PartialImageEvent,
  ProgressEvent,
  StartedEvent,
  StreamEvent,
} from '../../../lib/contract/reply/stream-events.ts';
import {
  DescribedInput,
  ImageInput,
  PlanInput,
  StoredInput,
} from '../../../lib/contract/request/image-input.ts';
import { ImageRequest, PlanRequest } from '../../../lib/contract/request/image-request.ts';
import { Output, Transparency } from '../../../lib/contract/request/output.ts';
import { Parameters, RequestParameters } from '../../../lib/contract/request/parameters.ts';
import { PlanBatch } from '../../../lib/contract/request/plan-batch.ts';
import { Policies, Route, Routing, Session } from '../../../lib/contract/request/routing.ts';
import { ArtifactPatch, MarkedArtifact } from '../../../lib/contract/resources/artifact.ts';
import {
  ArtifactCredentials,
  ManifestReport,
} from '../../../lib/contract/resources/artifact-credentials.ts';
import {
  Diagnostics,
  Liveness,
  NotReady,
  Ready,
} from '../../../lib/contract/resources/diagnostics.ts';
import { JobFamily } from '../../../lib/contract/resources/family.ts';
import {
  ImageJob,
  ImageJobSummary,
  JobCreate,
  JobPage,
  JobPatch,
  JobRequest,
  Webhook,
} from '../../../lib/contract/resources/job.ts';
import { JobBatch, JobBatchResult } from '../../../lib/contract/resources/job-batch.ts';
import {
  JobChangedEvent,
  JobEndedEvent,
  JobEvent,
  JobFeedEvent,
  JobPartialImageEvent,
  JobRemovedEvent,
  JobSnapshotEvent,
  WebhookMessage,
} from '../../../lib/contract/resources/job-events.ts';
import { JobGroup } from '../../../lib/contract/resources/job-group.ts';
import { JobDays, JobLabels, PromptPage } from '../../../lib/contract/resources/job-history.ts';
import { McpRefusal } from '../../../lib/contract/resources/mcp.ts';
import {
  Preset,
  PresetCreate,
  PresetPage,
  PresetReplace,
  PresetTemplate,
} from '../../../lib/contract/resources/preset.ts';
import {
  CapabilityDocument,
  ProviderDescriptor,
  ProviderPage,
} from '../../../lib/contract/resources/provider.ts';
import { OwnQueue, Queue, QueuePatch } from '../../../lib/contract/resources/queue.ts';
import { SessionBinding } from '../../../lib/contract/resources/session.ts';
import {
  DayUsage,
  ModelUsage,
  TokenUsage,
  UsageCaller,
  UsageReport,
} from '../../../lib/contract/resources/usage.ts';

/** The named schemas of data sent to the bridge, in which a field with a default is optional. */
export const REQUEST_COMPONENTS = {
  ImageRequest,
  ImageInput,
  ImageRequestParameters: RequestParameters,
  ImageOutput: Output,
  ImageTransparency: Transparency,
  ImageRouting: Routing,
  ImageRoute: Route,
  ImageSession: Session,
  ImagePolicies: Policies,
  ImageJobCreate: JobCreate,
  ImageJobPatch: JobPatch,
  ImageArtifactPatch: ArtifactPatch,
  ImageJobWebhook: Webhook,
  ImageQueuePatch: QueuePatch,
  ImageJobBatch: JobBatch,
  ImagePresetTemplate: PresetTemplate,
  ImagePresetCreate: PresetCreate,
  ImagePresetReplace: PresetReplace,
  ImagePlanBody: PlanBody,
  ImagePlanRequest: PlanRequest,
  ImagePlanInput: PlanInput,
  ImagePlanBatch: PlanBatch,
  ImageJobGroup: JobGroup,
  DescribedImage: DescribedInput,
  OpenAiImageGeneration: GenerationsBody,
  OpenAiImageEdit: EditsBody,
  OpenAiImageEditForm: EditsForm,
  OpenAiBridgeExt: BridgeExt,
  OpenAiPlanRequest,
  OpenAiGenerationPlan: GenerationPlan,
  OpenAiEditPlan: EditPlan,
} satisfies Record<string, v.GenericSchema>;

/** The named schemas of data sent by the bridge, in which a field with a default is always present. */
export const REPLY_COMPONENTS = {
  ErrorReply,
  BridgeError: FlatBridgeError,
  Liveness,
  Ready,
  NotReady,
  ProviderDescriptor,
  ProviderPage,
  CapabilityDocument,
  ImageResponse,
  ImageParameters: Parameters,
  GeneratedImage,
  Provenance,
  Normalization,
  Attempt,
  Usage,
  SessionReport,
  Timings,
  Delivered,
  ImagePlan,
  PlannedRoute,
  PlannedTransparency,
  ImagePlanBatchResult: PlanBatchResult,
  PlannedRouteSum: RouteSum,
  StreamEvent,
  StartedEvent,
  ProgressEvent,
  PartialImageEvent,
  CompletedEvent,
  ErrorEvent,
  ImageJob,
  ImageJobRequest: JobRequest,
  ImageJobSummary,
  ImageJobPage: JobPage,
  ImageJobDays: JobDays,
  ImageJobLabels: JobLabels,
  PromptPage,
  ImageJobFamily: JobFamily,
  ImageJobEvent: JobEvent,
  JobSnapshotEvent,
  JobPartialImageEvent,
  JobEndedEvent,
  ImageJobFeedEvent: JobFeedEvent,
  JobChangedEvent,
  JobRemovedEvent,
  WebhookMessage,
  ImageQueue: Queue,
  OwnImageQueue: OwnQueue,
  ImageJobBatchResult: JobBatchResult,
  StoredInput,
  ImagePreset: Preset,
  ImagePresetPage: PresetPage,
  SessionBinding,
  UsageReport,
  UsageCaller,
  DayUsage,
  ModelUsage,
  TokenUsage,
  MarkedArtifact,
  ImageMetadataRecord,
  ArtifactCredentials,
  ManifestReport,
  Diagnostics,
  OpenAiImages: ImagesResponse,
  OpenAiImageUsage: ImageUsage,
  OpenAiBridgeExtReport: BridgeExtReport,
  OpenAiGenerationEvent: GenerationStreamEvent,
  OpenAiEditEvent: EditStreamEvent,
  Model,
  ModelList,
  McpRefusal,
} satisfies Record<string, v.GenericSchema>;

export type ComponentName = keyof typeof REQUEST_COMPONENTS | keyof typeof REPLY_COMPONENTS;
