import { Pencil, Plus } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Job } from '../../api/schemas.ts';
import { Button, IconButton } from '../../controls/button.tsx';
import { Link } from '../../controls/link.tsx';
import { LabelEditor } from '../../labels/label-editor.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/job-text.ts';
import { mayCreate } from '../../usage/usage.ts';
import { useJobActions } from '../job-actions.ts';

/** Shows the labels by which the job is found, as links to the jobs with the label, and edits them if the token may change jobs. */
export function LabelsSection({ job }: { readonly job: Job }) {
  const { usage, connection } = usePage();
  const { labels = [] } = job;
  const [isEditing, setEditing] = useState(false);
  const mayEdit = mayCreate(usage.latest.value);
  const { value: caller } = connection.caller;
  useEffect(() => {
    // The report says which permissions the token has.
    if (caller?.isAccepted && usage.latest.peek() === undefined) void usage.read();
  }, [usage, caller]);
  useEffect(() => setEditing(false), [job.id]);
  const section = useRef<HTMLElement>(null);
  const isLeft = useRef(false);
  useEffect(() => {
    if (isLeft.current) section.current?.querySelector('button')?.focus();
    isLeft.current = false;
  }, [isEditing]);
  if (labels.length === 0 && !mayEdit) return null;
  if (isEditing && mayEdit) {
    const onDone = () => {
      isLeft.current = true;
      setEditing(false);
    };
    return <LabelsEditing labels={labels} onDone={onDone} />;
  }
  return (
    <section ref={section} class="labels-section stack">
      <h2>
        {text('job.labels')}
        {mayEdit && (
          <IconButton
            small
            icon={labels.length === 0 ? Plus : Pencil}
            label={text(labels.length === 0 ? 'job.labels.add' : 'job.labels.change')}
            onClick={() => setEditing(true)}
          />
        )}
      </h2>
      {labels.length > 0 && (
        <ul>
          {labels.map((label) => (
            <li key={label}>
              <Link
                to={`?label=${encodeURIComponent(label)}`}
                aria-label={text('job.label.find', { label })}
              >
                <bdi>{label}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface EditingProps {
  readonly labels: readonly string[];
  readonly onDone: () => void;
}

function LabelsEditing({ labels, onDone }: EditingProps) {
  const { setLabels } = useJobActions();
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    const inputs = section.current?.querySelectorAll('input');
    inputs?.item(inputs.length - 1)?.focus();
  }, []);
  return (
    <section
      ref={section}
      class="labels-section stack"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        // Escape also leaves the job.
        event.preventDefault();
        onDone();
      }}
    >
      <h2>
        {text('job.labels')}
        <Button size="small" onClick={onDone}>
          {text('job.labels.done')}
        </Button>
      </h2>
      <LabelEditor
        labels={labels.map((label) => ({ label }))}
        taken={labels}
        onAdd={(label) => setLabels({ add: [label] }, 'labels.added')}
        onRemove={(label) => setLabels({ remove: [label] }, 'labels.removed')}
        onRename={(label, next) => {
          // The labels after the renamed label are removed and added again, so that the renamed label keeps its position.
          const behind = labels.slice(labels.indexOf(label) + 1);
          const change = { remove: [label, ...behind], add: [next, ...behind] };
          return setLabels(change, 'labels.renamed');
        }}
      />
    </section>
  );
}
