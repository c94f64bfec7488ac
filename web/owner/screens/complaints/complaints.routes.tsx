import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inShell } from '../../routing/guarded-route.ts';
import { complaintSearch } from './complaints.logic.ts';

const loadComplaintScreen = () => import('./ComplaintScreen.tsx');
const loadComplaintsScreen = () => import('./ComplaintsScreen.tsx');

const ComplaintScreen = lazyRouteComponent(loadComplaintScreen, 'ComplaintScreen');

const complaints = createRoute({
  path: '/complaints',
  validateSearch: complaintSearch,
  ...inShell({ prefetchFrom: loadComplaintsScreen, title: 'complaints', texts: ['complaints'] }),
  component: lazyRouteComponent(loadComplaintsScreen, 'ComplaintsScreen'),
});

const complaint = createRoute({
  path: '/complaints/$id',
  ...inShell({
    prefetchFrom: loadComplaintScreen,
    title: 'complaints',
    screen: ComplaintScreen,
    texts: ['complaints', 'editing'],
  }),
  component: function Complaint() {
    const { id } = complaint.useParams();
    return <ComplaintScreen id={id} key={id} />;
  },
});

export const complaintRoutes = [complaints, complaint] as const;
