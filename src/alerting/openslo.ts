/** An alert plan as OpenSLO documents (`openslo/v1`), one SLO a document. */
import { durationText } from '../base/index.ts';
import type { AlertPlan } from './alert-plan.ts';
import { yamlText } from './prometheus-rules.ts';

/** Queries keep `{{.window}}`: OpenSLO leaves the query's language to whoever reads it. */
export function openSlo(plan: AlertPlan): string {
  const { owner, runbook, rollback } = plan.people;
  const query = (text: string) => ({
    metricSource: {
      type: 'Prometheus',
      spec: { query: text },
    },
  });
  return plan.slos
    .map(({ slo, title, targetShare, badQuery, validQuery }) =>
      yamlText({
        apiVersion: 'openslo/v1',
        kind: 'SLO',
        metadata: {
          name: slo,
          displayName: `${plan.name} ${title}`,
          annotations: {
            'goodput/owner': owner,
            'goodput/runbook': runbook,
            'goodput/rollback': rollback,
          },
        },
        spec: {
          service: plan.name,
          indicator: {
            metadata: { name: slo },
            spec: {
              ratioMetric: { counter: true, bad: query(badQuery), total: query(validQuery) },
            },
          },
          timeWindow: [{ duration: durationText(plan.periodNs), isRolling: true }],
          budgetingMethod: 'Occurrences',
          objectives: [{ displayName: title, target: targetShare }],
        },
      }),
    )
    .join('---\n');
}
