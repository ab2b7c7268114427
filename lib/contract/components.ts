import type * as v from 'valibot';
import { Diagnostics } from './diagnostics.ts';
import { ErrorReply, FlatBridgeError } from './error.ts';
import { Liveness, NotReady, Ready } from './health.ts';
import { ImageInput, StoredInput } from './image-input.ts';
import { ImageRequest } from './image-request.ts';
import {
  Attempt,
  Delivered,
  GeneratedImage,
  ImageResponse,
  Normalization,
  SessionReport,
  Timings,
  Usage,
} from './image-response.ts';
import { ImageJob, ImageJobSummary, JobPage, JobPatch, JobRequest } from './job.ts';
import { ImageMetadataRecord } from './metadata-record.ts';
import { EditsForm } from './openai-form.ts';
import { BridgeExt, EditsBody, GenerationsBody } from './openai-images.ts';
import { Model, ModelList } from './openai-models.ts';
import {
  BridgeExtReport,
  EditStreamEvent,
  GenerationStreamEvent,
  ImagesResponse,
  ImageUsage,
} from './openai-response.ts';
import { Output, Transparency } from './output.ts';
import { Parameters, RequestParameters } from './parameters.ts';
import { Preset, PresetCreate, PresetPage, PresetReplace, PresetTemplate } from './preset.ts';
import { CapabilityDocument, ProviderDescriptor, ProviderPage } from './provider.ts';
import { Policies, Route, Routing, Session } from './routing.ts';
import { SessionBinding } from './session.ts';
import {
  CompletedEvent,
  ErrorEvent,
  PartialImageEvent,
  ProgressEvent,
  StartedEvent,
  StreamEvent,
} from './stream-events.ts';

/** The named schemas of what is sent to the bridge: a field with a default may be left out. */
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
  ImageJobPatch: JobPatch,
  ImagePresetTemplate: PresetTemplate,
  ImagePresetCreate: PresetCreate,
  ImagePresetReplace: PresetReplace,
  OpenAiImageGeneration: GenerationsBody,
  OpenAiImageEdit: EditsBody,
  OpenAiImageEditForm: EditsForm,
  OpenAiBridgeExt: BridgeExt,
} satisfies Record<string, v.GenericSchema>;

/** The named schemas of what the bridge sends: a field with a default is always there. */
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
  StoredInput,
  ImagePreset: Preset,
  ImagePresetPage: PresetPage,
  SessionBinding,
  ImageMetadataRecord,
  Diagnostics,
  OpenAiImages: ImagesResponse,
  OpenAiImageUsage: ImageUsage,
  OpenAiBridgeExtReport: BridgeExtReport,
  OpenAiGenerationEvent: GenerationStreamEvent,
  OpenAiEditEvent: EditStreamEvent,
  Model,
  ModelList,
} satisfies Record<string, v.GenericSchema>;

export type ComponentName = keyof typeof REQUEST_COMPONENTS | keyof typeof REPLY_COMPONENTS;
