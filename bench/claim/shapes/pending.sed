# With the partial index there, this condition makes settling read all that is pending.
s/o\.id = s\.id and o\.status = 'pending'/o.id = s.id/
