import type * as v from 'valibot';
import { EditsForm } from '../openai/form.ts';
import { BridgeExt, EditsBody, GenerationsBody } from '../openai/images.ts';
import { Model, ModelList } from '../openai/models.ts';
import { EditPlan, GenerationPlan, OpenAiPlanRequest, PlanBody } from '../openai/plan.ts';
import {
  BridgeExtReport,
  EditStreamEvent,
  GenerationStreamEvent,
  ImagesResponse,
  ImageUsage,
} from '../openai/response.ts';
import { ErrorReply, FlatBridgeError } from '../reply/error.ts';
import { ImagePlan, PlannedRoute, PlannedTransparency } from '../reply/image-plan.ts';
import {
  Attempt,
  Delivered,
  GeneratedImage,
  ImageResponse,
  Normalization,
  SessionReport,
  Timings,
  Usage,
} from '../reply/image-response.ts';
import { ImageMetadataRecord } from '../reply/metadata-record.ts';
import {
  CompletedEvent,
  ErrorEvent,
  PartialImageEvent,
  ProgressEvent,
  StartedEvent,
  StreamEvent,
} from '../reply/stream-events.ts';
import { DescribedInput, ImageInput, PlanInput, StoredInput } from '../request/image-input.ts';
import { ImageRequest, PlanRequest } from '../request/image-request.ts';
import { Output, Transparency } from '../request/output.ts';
import { Parameters, RequestParameters } from '../request/parameters.ts';
import { Policies, Route, Routing, Session } from '../request/routing.ts';
import { Diagnostics, Liveness, NotReady, Ready } from '../resources/diagnostics.ts';
import {
  ImageJob,
  ImageJobSummary,
  JobCreate,
  JobPage,
  JobPatch,
  JobRequest,
  Webhook,
} from '../resources/job.ts';
import {
  JobChangedEvent,
  JobEndedEvent,
  JobEvent,
  JobFeedEvent,
  JobPartialImageEvent,
  JobRemovedEvent,
  JobSnapshotEvent,
  WebhookMessage,
} from '../resources/job-events.ts';
import { McpRefusal } from '../resources/mcp.ts';
import {
  Preset,
  PresetCreate,
  PresetPage,
  PresetReplace,
  PresetTemplate,
} from '../resources/preset.ts';
import { CapabilityDocument, ProviderDescriptor, ProviderPage } from '../resources/provider.ts';
import { Queue, QueuePatch } from '../resources/queue.ts';
import { SessionBinding } from '../resources/session.ts';
import { DayUsage, UsageCaller, UsageReport } from '../resources/usage.ts';

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
  ImageJobWebhook: Webhook,
  ImageQueuePatch: QueuePatch,
  ImagePresetTemplate: PresetTemplate,
  ImagePresetCreate: PresetCreate,
  ImagePresetReplace: PresetReplace,
  ImagePlanBody: PlanBody,
  ImagePlanRequest: PlanRequest,
  ImagePlanInput: PlanInput,
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
  Normalization,
  Attempt,
  Usage,
  SessionReport,
  Timings,
  Delivered,
  ImagePlan,
  PlannedRoute,
  PlannedTransparency,
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
  ImageJobEvent: JobEvent,
  JobSnapshotEvent,
  JobPartialImageEvent,
  JobEndedEvent,
  ImageJobFeedEvent: JobFeedEvent,
  JobChangedEvent,
  JobRemovedEvent,
  WebhookMessage,
  ImageQueue: Queue,
  StoredInput,
  ImagePreset: Preset,
  ImagePresetPage: PresetPage,
  SessionBinding,
  UsageReport,
  UsageCaller,
  DayUsage,
  ImageMetadataRecord,
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
