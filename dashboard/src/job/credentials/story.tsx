import {
  Check as CheckMark,
  CircleAlert,
  Download,
  FileCheck,
  FileQuestion,
  Minus,
  X,
} from 'lucide';
import { useEffect } from 'preact/hooks';
import type { ArtifactCredentials } from '../../api/schemas.ts';
import { Button, Icon, IconButton } from '../../controls/button.tsx';
import { Menu, type useMenu } from '../../controls/menu.tsx';
import { ScrollRegion } from '../../controls/scroll-region.tsx';
import { useImage } from '../../images/use-image.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { text } from '../../text/text.ts';
import { useJobActions } from '../job-actions.ts';
import { idOf, type JobImage } from '../state/job-images.ts';
import { useChecks } from './checks.ts';
import { type Chapter, toStory } from './verdict.ts';
import './story.css';

interface StoryProps {
  readonly image: JobImage;
  readonly menu: ReturnType<typeof useMenu>['menu'];
  /** Closes the story and returns the focus to its button. */
  readonly onClose: () => void;
}

/** Shows how an image came to be: its chain of manifests, newest first. The file is checked when the story is opened. */
export function Story({ image, menu, onClose }: StoryProps) {
  const checks = useChecks();
  const id = idOf(image);
  const { value: check } = checks.get(id);
  useEffect(() => void checks.check(id), [checks, id]);
  return (
    <Menu {...menu} class="story" label={text('credentials.story')}>
      <div class="story-head row">
        <h2 class="grow">{text('credentials.story')}</h2>
        <IconButton small icon={X} label={text('action.close')} onClick={onClose} />
      </div>
      {check.state === 'failed' ? (
        <p class="said" role="alert">
          {toFailureText(check.error, Date.now()).title}{' '}
          <Button size="small" onClick={() => void checks.check(id)}>
            {text('action.retry')}
          </Button>
        </p>
      ) : check.state === 'checked' ? (
        <Chapters report={check.report} image={image} />
      ) : (
        <p class="said soft" role="status">
          {text('credentials.checking')}
        </p>
      )}
    </Menu>
  );
}

interface ChaptersProps {
  readonly report: ArtifactCredentials;
  readonly image: JobImage;
}

function Chapters({ report, image }: ChaptersProps) {
  const { download, downloadManifest } = useJobActions();
  const { state, manifest } = report;
  const isOriginal = image.provenance?.credentials === 'kept';
  if (manifest === undefined) {
    return (
      <p class="said" role="status">
        {text(`credentials.state.${state}`)}
      </p>
    );
  }
  return (
    <>
      <ScrollRegion class="chapters" label={text('credentials.manifests')}>
        <ol>
          {toStory(manifest).map((chapter, index) => (
            // The chapters of a report never change their order.
            <ChapterRow
              key={index}
              chapter={chapter}
              image={index === 0 ? image : undefined}
              state={index === 0 ? state : undefined}
            />
          ))}
        </ol>
      </ScrollRegion>
      <div class="story-foot row">
        <span class="hint grow">{text('credentials.checkedHere')}</span>
        <Button
          size="small"
          icon={Download}
          aria-label={text('credentials.saveManifest')}
          onClick={() => void downloadManifest(image)}
        >
          {text('credentials.manifest')}
        </Button>
        <Button
          size="small"
          icon={Download}
          aria-label={text(isOriginal ? 'credentials.saveOriginal' : 'credentials.saveImage')}
          onClick={() => void download(image)}
        >
          {text(isOriginal ? 'credentials.original' : 'credentials.image')}
        </Button>
      </div>
      {image.provenance?.credentials === 'resigned' && (
        <p class="hint said">{text('credentials.noOriginal')}</p>
      )}
    </>
  );
}

interface ChapterRowProps {
  readonly chapter: Chapter;
  /** The image itself, for the first chapter. */
  readonly image: JobImage | undefined;
  /** The result of the check, for the first chapter. The check covers the manifests inside. */
  readonly state: ArtifactCredentials['state'] | undefined;
}

function ChapterRow({ chapter, image, state }: ChapterRowProps) {
  const { name, said, generator, hasManifest } = chapter;
  return (
    <li>
      <span class="story-image middle">
        {image ? <Thumb image={image} /> : <Icon of={hasManifest ? FileCheck : FileQuestion} />}
      </span>
      <div>
        <p class="row">
          <b class="grow cut">{name}</b>
          <Flag state={state} hasManifest={hasManifest} />
        </p>
        {said.map((line) => (
          <p key={line}>{line}</p>
        ))}
        <p class="hint">
          {[generator, trustOf(state)].filter(Boolean).join(text('list.separator'))}
        </p>
      </div>
    </li>
  );
}

function Thumb({ image }: { readonly image: JobImage }) {
  const loaded = useImage(`${image.path}/thumbnail?edge=256`);
  return loaded.state === 'ready' ? <img class="cover" src={loaded.url} alt="" /> : null;
}

interface FlagProps {
  readonly state: ArtifactCredentials['state'] | undefined;
  readonly hasManifest: boolean;
}

/** Shows whether a manifest is valid. The check of the outer manifest covers the manifests inside. */
function Flag({ state, hasManifest }: FlagProps) {
  const isBad = state === 'invalid' || state === 'unreadable';
  const isGood = state === 'trusted' || state === 'valid';
  if (state !== undefined && !isBad && !isGood) return null;
  if (state === undefined && hasManifest) {
    return <span class="flag soft">{text('credentials.flag.inside')}</span>;
  }
  const icon = isBad ? CircleAlert : isGood ? CheckMark : Minus;
  const key = isBad ? 'broken' : isGood ? 'holds' : 'none';
  return (
    <span class={`flag row ${isBad ? 'bad' : isGood ? 'good' : 'soft'}`}>
      <Icon small of={icon} />
      {text(`credentials.flag.${key}`)}
    </span>
  );
}

/** Returns the words for the trust in the signer of a valid manifest. */
function trustOf(state: ArtifactCredentials['state'] | undefined): string | undefined {
  return state === 'trusted' || state === 'valid' ? text(`credentials.trust.${state}`) : undefined;
}
